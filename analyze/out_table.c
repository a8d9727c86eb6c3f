#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/output.h"
#include "analyze/rounds.h"

enum { COLS_MAX = 160, NAME_MAX_LEN = 48, LATE_SHARE_PERCENT = 95, LOOP_LAG_NOTED_MS = 20 };

/* Columns are made at run time (percentiles are asked for), so their names need a place. */
struct columns {
	struct col c[COLS_MAX];
	char names[COLS_MAX][NAME_MAX_LEN], titles[COLS_MAX][NAME_MAX_LEN];
	size_t n;
};

static void add(struct columns *k, enum col_type type, int decimals, const char *name, const char *title)
{
	size_t i = k->n;

	if (i == COLS_MAX)
		return;
	snprintf(k->names[i], NAME_MAX_LEN, "%s", name);
	snprintf(k->titles[i], NAME_MAX_LEN, "%s", title);
	k->c[i] = (struct col){ k->names[i], k->titles[i], type, decimals };
	k->n++;
}

/* "ttft_ms", 95 -> "ttft_p95_ms" and "TTFT p95 ms". */
static void add_percentile(struct columns *k, enum metric m, double p)
{
	const char *key = metric_key(m);
	char name[NAME_MAX_LEN], title[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%.*s_p%g_ms", (int)strlen(key) - 3, key, p);
	snprintf(title, sizeof(title), "%s p%g ms", metric_title(m), p);
	add(k, COL_NUM, 1, name, title);
}

static size_t needed(double p)
{
	for (int i = 0; i < PCTS; i++)
		if (p == pct_of(i))
			return pct_needs(i);
	/* Between the tabulated ones: enough that one sample is expected beyond it, tenfold. */
	return (size_t)ceil(10 / (1 - (p < 100 ? p : 99.999) / 100));
}

static const enum metric people_metrics[] = { M_TTFT, M_TPOT, M_GAP, M_E2E };
enum { PEOPLE_METRICS = sizeof(people_metrics) / sizeof(*people_metrics) };

/* Rates have a column of their own where there are any. */
static bool has_rates(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++)
		if (!isnan(a->groups[i].rate_hz))
			return true;
	return false;
}

static void people_columns(struct columns *k, const double *pct, size_t n, bool with_rates)
{
	add(k, COL_TEXT, 0, "layer", "input tokens");
	add(k, COL_INT, 0, "concurrency", "C");
	if (with_rates)
		add(k, COL_NUM, 2, "rate_hz", "offered req/s");
	add(k, COL_INT, 0, "ok", "ok");
	add(k, COL_INT, 0, "total", "of");
	for (int m = 0; m < PEOPLE_METRICS; m++)
		for (size_t i = 0; i < n; i++)
			add_percentile(k, people_metrics[m], pct[i]);
	add(k, COL_NUM, 1, "output_throughput_tok_s", "out tok/s");
	add(k, COL_NUM, 2, "request_throughput_hz", "req/s");
}

/* "12.3 (11.9-12.8)" */
static void spread_cell(struct table *t, struct spread s, int decimals)
{
	char cell[96];

	if (isnan(s.median)) {
		table_num(t, s.median);
		return;
	}
	snprintf(cell, sizeof(cell), "%.*f (%.*f-%.*f)", decimals, s.median, decimals, s.min,
		 decimals, s.max);
	table_text(t, str_of(cell));
}

static void people_row(struct table *t, const struct group *g, const double *pct, size_t n,
		       bool with_rates)
{
	table_text(t, str_of(g->layer.label));
	table_int(t, g->concurrency);
	if (with_rates)
		table_num(t, g->rate_hz);
	table_int(t, (int64_t)g->by_status[ST_OK]);
	table_int(t, (int64_t)g->total);
	for (int m = 0; m < PEOPLE_METRICS; m++) {
		const struct sample *s = &g->stats[people_metrics[m]];

		for (size_t i = 0; i < n; i++) {
			char cell[64];
			double v = sample_percentile(s, pct[i]);

			if (g->n_by_round > 1) {
				spread_cell(t, rounds_percentile(g, people_metrics[m], pct[i]), 1);
				continue;
			}
			if (isnan(v)) {
				table_num(t, v);
				continue;
			}
			snprintf(cell, sizeof(cell), "%.1f%s", v, s->n < needed(pct[i]) ? "*" : " ");
			table_text(t, str_of(cell));
		}
	}
	if (g->n_by_round > 1) {
		spread_cell(t, rounds_output_throughput(g), 1);
		spread_cell(t, rounds_request_throughput(g), 2);
		return;
	}
	table_num(t, g->output_throughput_tok_s);
	table_num(t, g->request_throughput_hz);
}

static void machine_columns(struct columns *k, const double *pct, size_t n)
{
	add(k, COL_TEXT, 0, "layer", "layer");
	add(k, COL_INT, 0, "concurrency", "concurrency");
	add(k, COL_NUM, 3, "rate_hz", "offered rate (1/s)");
	add(k, COL_INT, 0, "rounds", "rounds");
	add(k, COL_INT, 0, "total", "requests");
	for (int s = ST_OK; s < ST_NONE; s++)
		add(k, COL_INT, 0, status_name((enum status)s), status_name((enum status)s));
	add(k, COL_INT, 0, "valid", "valid");
	add(k, COL_INT, 0, "input_tokens", "input tokens");
	add(k, COL_INT, 0, "output_tokens", "output tokens");
	add(k, COL_INT, 0, "partial_output_tokens", "partial output tokens");
	add(k, COL_NUM, 3, "window_s", "window s");
	add(k, COL_NUM, 1, "output_throughput_tok_s", "out tok/s");
	add(k, COL_NUM, 3, "request_throughput_hz", "req/s");
	add(k, COL_NUM, 3, "goodput_hz", "goodput req/s");
	add(k, COL_NUM, 2, "mean_concurrency", "mean concurrency");
	add(k, COL_INT, 0, "peak_concurrency", "peak concurrency");
	for (int m = 0; m < METRICS; m++) {
		char name[NAME_MAX_LEN];

		snprintf(name, sizeof(name), "%.*s_n", (int)strlen(metric_key((enum metric)m)) - 3, metric_key((enum metric)m));
		add(k, COL_INT, 0, name, name);
		snprintf(name, sizeof(name), "%.*s_mean_ms", (int)strlen(metric_key((enum metric)m)) - 3, metric_key((enum metric)m));
		add(k, COL_NUM, 3, name, name);
		for (size_t i = 0; i < n; i++)
			add_percentile(k, (enum metric)m, pct[i]);
	}
}

static void machine_row(struct table *t, const struct group *g, const double *pct, size_t n)
{
	table_text(t, str_of(g->layer.label));
	table_int(t, g->concurrency);
	table_num(t, g->rate_hz);
	table_int(t, (int64_t)g->rounds);
	table_int(t, (int64_t)g->total);
	for (int s = ST_OK; s < ST_NONE; s++)
		table_int(t, (int64_t)g->by_status[s]);
	table_int(t, (int64_t)g->valid);
	table_int(t, g->input_tokens);
	table_int(t, g->output_tokens);
	table_int(t, g->partial_output_tokens);
	table_num(t, g->window_s);
	table_num(t, g->output_throughput_tok_s);
	table_num(t, g->request_throughput_hz);
	table_num(t, g->goodput_hz);
	table_num(t, g->mean_concurrency);
	table_int(t, (int64_t)g->peak_concurrency);
	for (int m = 0; m < METRICS; m++) {
		table_int(t, (int64_t)g->stats[m].n);
		table_num(t, g->stats[m].mean);
		for (size_t i = 0; i < n; i++)
			table_num(t, sample_percentile(&g->stats[m], pct[i]));
	}
}

/* "(1024,8192], C 8, 20 req/s": which row a note is about. */
static void name_group(const struct group *g, char *out, size_t size)
{
	char c[32] = "", rate[48] = "";

	if (g->concurrency != COUNT_NONE)
		snprintf(c, sizeof(c), ", C %" PRId64, g->concurrency);
	if (!isnan(g->rate_hz))
		snprintf(rate, sizeof(rate), ", %.6g req/s", g->rate_hz);
	snprintf(out, size, "%s%s%s", g->layer.label, c, rate);
}

static void failures_note(struct table *t, const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct group *g = &a->groups[i];
		char kinds[512] = "", name[128];
		size_t off = 0;

		for (size_t k = 0; k < g->n_errors && off < sizeof(kinds); k++)
			off += (size_t)snprintf(kinds + off, sizeof(kinds) - off, "%s%s x%zu", k ? ", " : "",
						g->errors[k].kind, g->errors[k].n);
		name_group(g, name, sizeof(name));
		if (g->n_errors)
			table_note(t, "Failed at %s: %s.", name, kinds);
	}
}

static void schedule_note(struct table *t, const struct group *g)
{
	const struct sample *q = &g->stats[M_QUEUE];
	const struct sample *f = &g->stats[M_SCHEDULED_TTFT], *e = &g->stats[M_SCHEDULED_E2E];

	char name[128];

	if (q->n == 0)
		return;
	name_group(g, name, sizeof(name));
	table_note(t, "From schedule at %s: queue delay mean %.1f ms; TTFT p50 %.1f, p95 %.1f, p99 %.1f ms; "
		   "E2E p50 %.1f, p95 %.1f, p99 %.1f ms (the table's latencies are from send).",
		   name, q->mean, f->pct[PCT_50], f->pct[PCT_95], f->pct[PCT_99], e->pct[PCT_50],
		   e->pct[PCT_95], e->pct[PCT_99]);
	if (g->sent_hz < g->offered_hz * LATE_SHARE_PERCENT / 100)
		table_note(t, "Warning: %.2f req/s achieved of %.2f offered: the load was not kept up, so "
			   "latencies from send look better than users saw.", g->request_throughput_hz, g->offered_hz);
}

/* Less than half of the TTFT of the first round: something was remembered. */
enum { TTFT_FELL_PERCENT = 50 };

static void ttft_fell_note(struct table *t, const struct group *g)
{
	const struct round *first = g->by_round;
	char name[128];

	name_group(g, name, sizeof(name));
	for (size_t i = 1; i < g->n_by_round; i++) {
		const struct round *k = &g->by_round[i];

		if (k->stats[M_TTFT].pct[PCT_50] <
		    first->stats[M_TTFT].pct[PCT_50] * TTFT_FELL_PERCENT / 100)
			table_note(t, "Warning: at %s the TTFT p50 fell from %.1f ms in round 1 to %.1f ms "
				   "in round %" PRId64 ": was the first round cold, or does a prefix "
				   "cache remember the prompts?", name, first->stats[M_TTFT].pct[PCT_50],
				   k->stats[M_TTFT].pct[PCT_50], k->number);
	}
}

static void rounds_note(struct table *t, const struct analysis *a, bool people)
{
	bool any = false;

	for (size_t i = 0; i < a->n_groups; i++) {
		any |= a->groups[i].n_by_round > 1;
		if (a->groups[i].n_by_round > 1)
			ttft_fell_note(t, &a->groups[i]);
	}
	if (any && people)
		table_note(t, "Where a level has rounds: the median of its rounds (least-most of them); "
			   "each round's percentiles are of its own requests.");
}

static void notes(struct table *t, const struct analysis *a, bool people)
{
	size_t estimated = 0, bundled = 0, ok = 0;
	bool few = false;

	for (size_t i = 0; i < a->n_groups; i++) {
		estimated += a->groups[i].estimated;
		bundled += a->groups[i].bundled;
		ok += a->groups[i].by_status[ST_OK];
		few |= a->groups[i].stats[M_TTFT].n < pct_needs(PCT_95);
	}
	table_note(t, "Percentiles: linear interpolation over ok requests; latencies from send (t0)."
		   " gap: between token events of one choice, pooled.");
	rounds_note(t, a, people);
	if (people && few)
		table_note(t, "*: too few samples for this percentile (11 for p50, 64 for p90, 130 for p95, 662 for p99).");
	failures_note(t, a);
	for (size_t i = 0; i < a->n_groups; i++)
		schedule_note(t, &a->groups[i]);
	if (estimated)
		table_note(t, "%zu of %zu ok requests had no usage: their output tokens are counts of token events (estimated).", estimated, ok);
	if (bundled)
		table_note(t, "%zu of %zu ok requests had several tokens in an event: gaps are not per token; see TPOT.", bundled, ok);
	if (a->missing_shards)
		table_note(t, "Warning: %zu parts of a run of several processes are not here: rates and "
			   "concurrency are those of the parts that are.", a->missing_shards);
	if (a->warmups)
		table_note(t, "%zu warm-up requests are left out.", a->warmups);
	if (*a->client_limit)
		table_note(t, "Client-limited: %s; these figures are the client's as much as the engine's.",
			   a->client_limit);
	if (a->loop_lag_max_ms > LOOP_LAG_NOTED_MS)
		table_note(t, "Client: its event loop was late by up to %.1f ms; times may be late by as much.", a->loop_lag_max_ms);
}

struct table *output_table(const struct analysis *a, const double *pct, size_t n, bool people)
{
	static struct columns k; /* large, and one table is made at a time */
	struct table *t;

	bool with_rates = has_rates(a);

	k.n = 0;
	if (people)
		people_columns(&k, pct, n, with_rates);
	else
		machine_columns(&k, pct, n);
	t = table_create(NULL, k.c, k.n);
	for (size_t i = 0; t && i < a->n_groups; i++) {
		if (people)
			people_row(t, &a->groups[i], pct, n, with_rates);
		else
			machine_row(t, &a->groups[i], pct, n);
	}
	if (t)
		notes(t, a, people);
	return t;
}

struct table *output_request_table(const struct analysis *a)
{
	static const struct col cols[] = {
		{ "id", "id", COL_INT, 0 }, { "layer", "layer", COL_TEXT, 0 },
		{ "concurrency", "C", COL_INT, 0 }, { "status", "status", COL_TEXT, 0 },
		{ "error", "error", COL_TEXT, 0 }, { "sent_ms", "sent ms", COL_NUM, 1 },
		{ "ttft_ms", "TTFT ms", COL_NUM, 1 }, { "first_answer_ms", "first answer ms", COL_NUM, 1 },
		{ "tpot_ms", "TPOT ms", COL_NUM, 2 }, { "e2e_ms", "E2E ms", COL_NUM, 1 },
		{ "input_tokens", "in", COL_INT, 0 }, { "output_tokens", "out", COL_INT, 0 },
		{ "token_events", "events", COL_INT, 0 }, { "finish_reason", "finish", COL_TEXT, 0 },
	};
	struct table *t = table_create(NULL, cols, sizeof(cols) / sizeof(*cols));

	for (size_t i = 0; t && i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];

		table_int(t, r->x->req.id);
		table_text(t, str_of(r->group >= 0 ? a->groups[r->group].layer.label : NULL));
		table_int(t, r->phase ? r->phase->concurrency : COUNT_NONE);
		table_text(t, str_of(status_name(r->status)));
		table_text(t, str_of(r->error_kind));
		table_num(t, r->sent_ms);
		table_num(t, r->ttft_ms);
		table_num(t, r->first_answer_ms);
		table_num(t, r->tpot_ms);
		table_num(t, r->e2e_ms);
		table_int(t, r->input_tokens);
		table_int(t, r->output_tokens);
		table_int(t, (int64_t)r->token_events);
		table_text(t, r->x->res.finish_reason);
	}
	return t;
}
