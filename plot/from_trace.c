/*
 * Traces -> groups, through the analysis.
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "formats/base/buf.h"
#include "plot/input.h"

int traces_load(struct traces *ts, const char *path, size_t source, struct err *e)
{
	struct trace_data *t = realloc(ts->t, (ts->n + 1) * sizeof(*t));
	size_t *s = realloc(ts->source, (ts->n + 1) * sizeof(*s));
	int rc;

	ts->t = t ? t : ts->t;
	ts->source = s ? s : ts->source;
	if (!t || !s)
		return err_set(e, "out of memory");
	rc = trace_data_load(path, false, &t[ts->n], e);
	if (rc >= 0)
		s[ts->n++] = source;
	return rc;
}

void traces_release(struct traces *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		trace_data_release(&ts->t[i]);
	free(ts->t);
	free(ts->source);
	*ts = (struct traces){ .n = 0 };
}

static const int metrics[MEASURES] = {
	[MEASURE_TTFT] = M_TTFT, [MEASURE_TPOT] = M_TPOT, [MEASURE_E2E] = M_E2E,
};

static int copy_sample(const struct sample *s, struct dist *d)
{
	d->n = (int64_t)s->n;
	d->sorted = calloc(s->n + 1, sizeof(*d->sorted));
	if (!d->sorted)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		d->sorted[i] = s->v[i];
	for (int l = 0; l < LEVELS; l++)
		d->at[l] = s->pct[level_pct((enum level)l)];
	return 0;
}

/* total: the group stands for all layers. */
static int add_group(const struct group *g, size_t source, bool total, struct plot_data *d)
{
	struct cell *c = plot_data_add_cell(d, source, str_of(total ? NULL : g->layer.label));

	if (!c)
		return -1;
	c->order = g->layer.above;
	c->concurrency = g->concurrency;
	c->rate_hz = g->rate_hz;
	c->mean_concurrency = g->mean_concurrency;
	c->total = (int64_t)g->total;
	c->ok = (int64_t)g->by_status[ST_OK];
	c->output_tok_s = g->output_throughput_tok_s;
	c->request_hz = g->request_throughput_hz;
	c->goodput_hz = g->goodput_hz;
	for (int m = 0; m < MEASURES; m++)
		if (copy_sample(&g->stats[metrics[m]], &c->dist[m]) < 0)
			return -1;
	return 0;
}

static bool same_load(const struct group *a, const struct group *b)
{
	return a->concurrency == b->concurrency &&
		(a->rate_hz == b->rate_hz || (isnan(a->rate_hz) && isnan(b->rate_hz)));
}

/*
 * Layers that ran side by side share their window; layers that ran one after another
 * have windows that add up to that of the whole, and no throughput together.
 */
static bool side_by_side(const struct group *whole, const struct analysis *a)
{
	double sum = 0;

	for (size_t i = 0; i < a->n_groups; i++)
		if (same_load(&a->groups[i], whole) && isfinite(a->groups[i].window_s))
			sum += a->groups[i].window_s;
	return isfinite(whole->window_s) && sum > whole->window_s * 1.001;
}

static int add_totals(const struct trace_data *t, size_t source, const struct analysis_opts *o,
	const struct analysis *layered, struct plot_data *d, struct err *e)
{
	struct analysis_opts unlayered = *o;
	struct analysis a;
	int rc = 0;

	unlayered.layers = (struct layer_opts){ .n = 0 };
	if (analysis_of(t, 1, &unlayered, &a, e) < 0)
		return -1;
	for (size_t i = 0; i < a.n_groups && rc == 0; i++)
		if (side_by_side(&a.groups[i], layered))
			rc = add_group(&a.groups[i], source, true, d);
	analysis_release(&a);
	return rc < 0 ? err_set(e, "out of memory") : 0;
}

static bool one_layer(const struct analysis_opts *o)
{
	return o->layers.n == 0;
}

static int analyze_one(const struct trace_data *t, size_t source, const struct analysis_opts *o,
	struct plot_data *d, struct err *e)
{
	struct analysis a;
	int rc = 0;

	if (analysis_of(t, 1, o, &a, e) < 0)
		return -1;
	for (size_t i = 0; i < a.n_groups && rc == 0; i++)
		rc = add_group(&a.groups[i], source, one_layer(o), d);
	if (rc < 0)
		err_set(e, "out of memory");
	else if (!one_layer(o))
		rc = add_totals(t, source, o, &a, d, e);
	analysis_release(&a);
	return rc;
}

/* Adds a name to "A, B" unless it is there. */
static int add_name(char **names, struct str name)
{
	size_t old = *names ? strlen(*names) : 0;
	char *longer;

	if (!name.p || name.n == 0 || (*names && memmem(*names, old, name.p, name.n)))
		return 0;
	longer = realloc(*names, old + name.n + 3);
	if (!longer)
		return -1;
	*names = longer;
	if (old) {
		memcpy(longer + old, ", ", 2);
		old += 2;
	}
	memcpy(longer + old, name.p, name.n);
	longer[old + name.n] = '\0';
	return 0;
}

static bool begins_with(struct str s, struct str prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

/* "vllm 0.9.1"; some engines name themselves in their version. */
static int add_engine(char **names, struct kvs target)
{
	struct str engine = kvs_get(target, "engine"), version = kvs_get(target, "engine_version");
	struct buf b;
	int rc;

	if (!engine.p || !version.p || version.n == 0)
		return add_name(names, engine);
	if (begins_with(version, engine))
		return add_name(names, version);
	buf_init(&b, 4096);
	rc = buf_add(&b, engine.p, engine.n);
	rc |= buf_adds(&b, " ");
	rc |= buf_add(&b, version.p, version.n);
	if (rc == 0)
		rc = add_name(names, buf_str(&b));
	buf_release(&b);
	return rc;
}

/* Model and engine of the headers; without a model there, those that requests asked for. */
static int name_source(const struct trace_data *t, struct source *s)
{
	int rc = 0;

	for (size_t i = 0; i < t->n_segments; i++) {
		rc |= add_name(&s->model, kvs_get(t->segments[i].header.target, "model"));
		rc |= add_engine(&s->engine, t->segments[i].header.target);
	}
	for (size_t i = 0; !s->model && i < t->n && rc == 0; i++)
		rc = add_name(&s->model, t->x[i].req.model);
	return rc;
}

/* Automatic layers of all traces together become fixed edges. */
static int fix_layers(const struct traces *ts, struct analysis_opts *o, struct err *e)
{
	struct analysis a;

	if (!o->layers.automatic)
		return 0;
	if (analysis_of(ts->t, ts->n, o, &a, e) < 0)
		return -1;
	o->layers = (struct layer_opts){ .n = 0 };
	for (size_t i = 0; i < a.n_groups; i++) {
		int64_t upto = a.groups[i].layer.upto;
		size_t n = o->layers.n;

		/* Groups are sorted by layer; the last one and the unknown have no edge. */
		if (upto != INT64_MAX && n < LAYER_EDGES_MAX && (n == 0 || o->layers.edges[n - 1] < upto))
			o->layers.edges[o->layers.n++] = upto;
	}
	analysis_release(&a);
	return 0;
}

static int take_opts(const struct input_opts *o, struct analysis_opts *out, struct err *e)
{
	*out = (struct analysis_opts){ .goodput = {
		.ttft_ms = o->target_ms[MEASURE_TTFT], .tpot_ms = o->target_ms[MEASURE_TPOT],
		.e2e_ms = o->target_ms[MEASURE_E2E] } };
	for (int m = 0; m < MEASURES; m++)
		out->goodput.asked |= isfinite(o->target_ms[m]);
	out->layers.automatic = o->layers.n == 0;
	if (o->layers.n > LAYER_EDGES_MAX)
		return err_set(e, "at most %d layer bounds", LAYER_EDGES_MAX);
	for (size_t i = 0; i < o->layers.n; i++) {
		if (i > 0 && o->layers.v[i] <= o->layers.v[i - 1])
			return err_set(e, "layer bounds must ascend");
		out->layers.edges[out->layers.n++] = o->layers.v[i];
	}
	return 0;
}

int traces_analyze(const struct traces *ts, const struct input_opts *o, struct plot_data *d,
	struct err *e)
{
	struct analysis_opts opts;

	if (take_opts(o, &opts, e) < 0 || (ts->n > 0 && fix_layers(ts, &opts, e) < 0))
		return -1;
	for (size_t i = 0; i < ts->n; i++) {
		if (analyze_one(&ts->t[i], ts->source[i], &opts, d, e) < 0)
			return -1;
		if (name_source(&ts->t[i], &d->sources[ts->source[i]]) < 0)
			return err_set(e, "out of memory");
	}
	return 0;
}
