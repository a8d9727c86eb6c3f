#include <config.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "analyze/output.h"
#include "analyze/rounds.h"

static json_t *num(double v)
{
	return isfinite(v) ? json_real(v + 0.0) : json_null();
}

static json_t *count(int64_t v)
{
	return v == COUNT_NONE ? json_null() : json_integer(v);
}

static json_t *text(struct str s)
{
	json_t *v = s.p ? json_stringn(s.p, s.n) : json_null();

	return v ? v : json_stringn_nocheck("", 0);
}

/* Everything that the field names: n, mean, extremes, percentiles, their intervals and whether n is enough. */
static json_t *sample_object(const struct sample *s)
{
	json_t *o = json_object();
	char key[32];

	json_object_set_new(o, "n", json_integer((json_int_t)s->n));
	json_object_set_new(o, "mean", num(s->mean));
	json_object_set_new(o, "min", num(s->min));
	json_object_set_new(o, "max", num(s->max));
	for (int p = 0; p < PCTS; p++) {
		snprintf(key, sizeof(key), "p%.0f", pct_of(p));
		json_object_set_new(o, key, num(s->pct[p]));
	}
	for (int p = 0; p < PCTS; p++) {
		json_t *ci = isnan(s->ci_low[p]) ? json_null() : json_pack("[f,f]", s->ci_low[p], s->ci_high[p]);

		snprintf(key, sizeof(key), "p%.0f_ci", pct_of(p));
		json_object_set_new(o, key, ci);
		snprintf(key, sizeof(key), "p%.0f_enough", pct_of(p));
		json_object_set_new(o, key, json_boolean(s->enough[p]));
	}
	return o;
}

static json_t *statuses(const struct group *g)
{
	json_t *o = json_object();

	json_object_set_new(o, "total", json_integer((json_int_t)g->total));
	for (int s = ST_OK; s < ST_NONE; s++)
		json_object_set_new(o, status_name((enum status)s), json_integer((json_int_t)g->by_status[s]));
	return o;
}

static json_t *errors(const struct group *g)
{
	json_t *o = json_object();

	for (size_t i = 0; i < g->n_errors; i++)
		json_object_set_new(o, g->errors[i].kind, json_integer((json_int_t)g->errors[i].n));
	return o;
}

static json_t *spread_object(struct spread s)
{
	json_t *o = json_object();

	json_object_set_new(o, "n", json_integer((json_int_t)s.n));
	json_object_set_new(o, "median", num(s.median));
	json_object_set_new(o, "min", num(s.min));
	json_object_set_new(o, "max", num(s.max));
	return o;
}

/* What the rounds say of each figure; null if there are none. */
static json_t *rounds_object(const struct group *g)
{
	json_t *o;
	char key[32];

	if (g->n_by_round == 0)
		return json_null();
	o = json_object();
	json_object_set_new(o, "rounds", json_integer((json_int_t)g->n_by_round));
	json_object_set_new(o, "output_throughput_tok_s", spread_object(rounds_output_throughput(g)));
	json_object_set_new(o, "request_throughput_hz", spread_object(rounds_request_throughput(g)));
	for (int m = 0; m < METRICS; m++) {
		json_t *of = json_object();

		for (int p = 0; p < PCTS; p++) {
			snprintf(key, sizeof(key), "p%.0f", pct_of(p));
			json_object_set_new(of, key, spread_object(rounds_percentile(g, (enum metric)m, pct_of(p))));
		}
		json_object_set_new(o, metric_key((enum metric)m), of);
	}
	return o;
}

static json_t *group_object(const struct group *g)
{
	json_t *o = json_object();

	json_object_set_new(o, "layer", json_string(g->layer.label));
	json_object_set_new(o, "concurrency", count(g->concurrency));
	json_object_set_new(o, "rate_hz", num(g->rate_hz));
	json_object_set_new(o, "rounds", json_integer((json_int_t)g->rounds));
	json_object_set_new(o, "requests", statuses(g));
	json_object_set_new(o, "valid", json_integer((json_int_t)g->valid));
	json_object_set_new(o, "errors", errors(g));
	json_object_set_new(o, "input_tokens", json_integer(g->input_tokens));
	json_object_set_new(o, "output_tokens", json_integer(g->output_tokens));
	json_object_set_new(o, "partial_output_tokens", json_integer(g->partial_output_tokens));
	json_object_set_new(o, "estimated_requests", json_integer((json_int_t)g->estimated));
	json_object_set_new(o, "bundled_requests", json_integer((json_int_t)g->bundled));
	json_object_set_new(o, "window_s", num(g->window_s));
	json_object_set_new(o, "output_throughput_tok_s", num(g->output_throughput_tok_s));
	json_object_set_new(o, "request_throughput_hz", num(g->request_throughput_hz));
	json_object_set_new(o, "offered_hz", num(g->offered_hz));
	json_object_set_new(o, "goodput_hz", num(g->goodput_hz));
	json_object_set_new(o, "attainment", num(g->attainment));
	json_object_set_new(o, "mean_concurrency", num(g->mean_concurrency));
	json_object_set_new(o, "peak_concurrency", json_integer((json_int_t)g->peak_concurrency));
	for (int m = 0; m < METRICS; m++)
		json_object_set_new(o, metric_key((enum metric)m), sample_object(&g->stats[m]));
	json_object_set_new(o, "by_round", rounds_object(g));
	return o;
}

static json_t *ms(int64_t ns)
{
	return ns == NS_NONE ? json_null() : json_real((double)ns / (double)NS_PER_MS);
}

/* Null where the client kept no record of its health. */
static json_t *client_object(const struct health *h)
{
	json_t *o;
	char reason[160];

	if (h->n == 0)
		return json_null();
	o = json_object();
	health_reason(h, reason, sizeof(reason));
	json_object_set_new(o, "limited", json_boolean(health_limited(h)));
	json_object_set_new(o, "reason", *reason ? json_string(reason) : json_null());
	json_object_set_new(o, "loop_lag_max_ms", ms(h->loop_lag_max_ns));
	json_object_set_new(o, "send_lag_max_ms", ms(h->send_lag_max_ns));
	json_object_set_new(o, "cpu_share_max", num(h->cpu_share_max));
	json_object_set_new(o, "events", h->events == COUNT_NONE ? json_null() : json_integer(h->events));
	json_object_set_new(o, "coalesced", h->coalesced == COUNT_NONE ? json_null() : json_integer(h->coalesced));
	return o;
}

static json_t *segment_object(const struct segment *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "plan_digest", text(s->header.plan_digest));
	json_object_set_new(o, "source_digest", text(s->header.source_digest));
	json_object_set_new(o, "model", text(kvs_get(s->header.target, "model")));
	json_object_set_new(o, "engine", text(kvs_get(s->header.target, "engine")));
	json_object_set_new(o, "tool", text(s->header.tool));
	json_object_set_new(o, "client", client_object(&s->client));
	return o;
}

int output_json(const struct trace_data *t, size_t n, const struct analysis *a, FILE *out, struct err *e)
{
	json_t *root = json_object(), *segments = json_array(), *groups = json_array();
	int rc;

	json_object_set_new(root, "format", json_string("toktrace-analysis"));
	json_object_set_new(root, "version", json_integer(1));
	json_object_set_new(root, "percentile_method", json_string("linear"));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t[i].n_segments; k++)
			json_array_append_new(segments, segment_object(&t[i].segments[k]));
	for (size_t i = 0; i < a->n_groups; i++)
		json_array_append_new(groups, group_object(&a->groups[i]));
	json_object_set_new(root, "segments", segments);
	json_object_set_new(root, "groups", groups);
	rc = json_dumpf(root, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(root);
	if (rc < 0 || fputc('\n', out) == EOF || fflush(out) != 0)
		return err_set(e, "cannot write: %s", strerror(errno));
	return 0;
}
