#include <config.h>

#include <errno.h>
#include <math.h>

#include "formats/convert/json.h"
#include "formats/convert/stat.h"

enum { TEXT_MAX = 16 << 20 };

static void put_series(struct json *j, const char *key, const struct stat_series *s)
{
	char name[16];

	json_open(j, key, '{');
	json_count(j, "n", (int64_t)s->n);
	json_num_or_null(j, "min", s->min);
	json_num_or_null(j, "max", s->max);
	json_num_or_null(j, "mean", s->mean);
	json_num_or_null(j, "sum", s->sum);
	for (int i = 0; i < STAT_PCTS; i++) {
		snprintf(name, sizeof(name), "p%d", stat_pcts[i]);
		json_num_or_null(j, name, s->pct[i]);
	}
	json_close(j, '}');
}

static void put_prefix(struct json *j, const struct stat *s)
{
	if (!s->has_prefix) {
		json_count_or_null(j, "prefix", COUNT_NONE);
		return;
	}
	json_open(j, "prefix", '{');
	json_count(j, "block_tokens", s->block_tokens);
	json_count(j, "blocks", s->blocks);
	json_count(j, "distinct", s->distinct);
	json_count(j, "hit_blocks", s->hit_blocks);
	json_count(j, "hit_tokens", s->hit_tokens);
	json_close(j, '}');
}

static void put_sessions(struct json *j, const struct stat *s)
{
	if (!s->sessions) {
		json_count_or_null(j, "sessions", COUNT_NONE);
		return;
	}
	json_open(j, "sessions", '{');
	json_count(j, "n", (int64_t)s->sessions);
	json_count(j, "inferred", (int64_t)s->inferred);
	put_series(j, "requests", &s->turns);
	json_close(j, '}');
}

static void put_all(struct json *j, const struct stat *s)
{
	json_open(j, NULL, '{');
	json_text(j, "format", str_of("toktrace-stat"));
	json_count(j, "version", 1);
	json_text(j, "percentile_method",
		  str_of(s->method == STAT_NEAREST ? "nearest" : "linear"));
	json_count(j, "requests", (int64_t)s->requests);
	json_count(j, "responses", (int64_t)s->responses);
	json_num_or_null(j, "duration_ms", stat_span_ms(s));
	json_count(j, "distinct_arrivals", (int64_t)s->arrivals);
	put_series(j, "input_tokens", &s->input);
	put_series(j, "output_tokens", &s->output);
	put_prefix(j, s);
	put_sessions(j, s);
	json_open(j, "layers", '{');
	for (size_t i = 0; i < s->n_layers; i++) {
		json_open(j, s->layers[i].label, '{');
		json_count(j, "requests", (int64_t)s->layers[i].requests);
		put_series(j, "input_tokens", &s->layers[i].input);
		put_series(j, "output_tokens", &s->layers[i].output);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}

double stat_span_ms(const struct stat *s)
{
	return s->span_ns == NS_NONE ? NAN : (double)s->span_ns / (double)NS_PER_MS;
}

int stat_print_json(const struct stat *s, FILE *out, struct err *e)
{
	struct buf text;
	struct json j = { .out = &text };
	int rc = 0;

	buf_init(&text, TEXT_MAX);
	put_all(&j, s);
	if (j.failed || buf_adds(&text, "\n") < 0)
		rc = err_set(e, "out of memory");
	else if (fwrite(text.p, 1, text.n, out) != text.n)
		rc = err_set(e, "stdout: cannot write: %s", strerror(errno));
	buf_release(&text);
	return rc;
}

static void add_series(struct table *t, const struct stat_series *s)
{
	table_num(t, s->mean);
	table_num(t, s->min);
	for (int i = 0; i < STAT_PCTS; i++)
		table_num(t, s->pct[i]);
	table_num(t, s->max);
}

static void add_row(struct table *t, const char *label, size_t requests,
		    const struct stat_series *in, const struct stat_series *out)
{
	table_text(t, str_of(label));
	table_int(t, (int64_t)requests);
	add_series(t, in);
	add_series(t, out);
}

static void add_notes(struct table *t, const struct stat *s)
{
	table_note(t, "%zu requests, %zu responses; percentiles: %s", s->requests,
		   s->responses,
		   s->method == STAT_NEAREST ? "nearest rank" : "linear interpolation");
	if (s->span_ns != NS_NONE)
		table_note(t, "arrivals over %.3f s at %zu distinct times",
			   stat_span_ms(s) / 1e3, s->arrivals);
	if (s->sessions)
		table_note(t, "%zu sessions (%zu inferred), of %.1f requests in the mean, at most %.0f",
			   s->sessions, s->inferred, s->turns.mean, s->turns.max);
	if (s->has_prefix && s->blocks)
		table_note(
			t,
			"prefix blocks of %lld tokens: %lld, %lld distinct; with an unbounded cache %lld hits (%.1f %%), %lld tokens",
			(long long)s->block_tokens, (long long)s->blocks,
			(long long)s->distinct, (long long)s->hit_blocks,
			100 * (double)s->hit_blocks / (double)s->blocks,
			(long long)s->hit_tokens);
}

struct table *stat_table(const struct stat *s)
{
	static const struct col cols[] = {
		{ "layer", "input tokens", COL_TEXT, 0 },
		{ "requests", "requests", COL_INT, 0 },
		{ "input_mean", "in mean", COL_NUM, 1 },
		{ "input_min", "min", COL_NUM, 0 },
		{ "input_p50", "p50", COL_NUM, 0 },
		{ "input_p90", "p90", COL_NUM, 0 },
		{ "input_p95", "p95", COL_NUM, 0 },
		{ "input_p99", "p99", COL_NUM, 0 },
		{ "input_max", "max", COL_NUM, 0 },
		{ "output_mean", "out mean", COL_NUM, 1 },
		{ "output_min", "min", COL_NUM, 0 },
		{ "output_p50", "p50", COL_NUM, 0 },
		{ "output_p90", "p90", COL_NUM, 0 },
		{ "output_p95", "p95", COL_NUM, 0 },
		{ "output_p99", "p99", COL_NUM, 0 },
		{ "output_max", "max", COL_NUM, 0 },
	};
	struct table *t =
		table_create("Requests by length", cols, sizeof(cols) / sizeof(*cols));

	if (!t)
		return NULL;
	add_row(t, "all", s->requests, &s->input, &s->output);
	for (size_t i = 0; i < s->n_layers; i++)
		add_row(t, s->layers[i].label, s->layers[i].requests, &s->layers[i].input,
			&s->layers[i].output);
	add_notes(t, s);
	return t;
}
