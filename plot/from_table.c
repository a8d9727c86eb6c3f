/*
 * Tables of tokanalyze -> groups.  A table of groups has a row per layer and level with
 * the percentiles; a table of requests has a row per request, from which percentiles
 * are made here by the same rule (linear).
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats.h"
#include "formats/base/clock.h"
#include "formats/base/quantile.h"
#include "plot/input.h"

static double number(const struct table *t, size_t row, const char *column)
{
	int c = table_find(t, column);

	return c < 0 ? NAN : table_cell_num(t, row, (size_t)c);
}

static int64_t count(const struct table *t, size_t row, const char *column, int64_t absent)
{
	double v = number(t, row, column);

	return isfinite(v) ? (int64_t)v : absent;
}

static struct str text(const struct table *t, size_t row, const char *column)
{
	int c = table_find(t, column);

	return c < 0 ? (struct str){ NULL, 0 } : table_cell(t, row, (size_t)c);
}

/* Lower bound of "(1024,8192]", by which layers are sorted. */
static int64_t lower_bound(struct str layer)
{
	size_t i = 0;
	int64_t v = 0;

	while (i < layer.n && !(layer.p[i] >= '0' && layer.p[i] <= '9'))
		i++;
	for (; i < layer.n && layer.p[i] >= '0' && layer.p[i] <= '9' && v < INT64_MAX / 10 - 1; i++)
		v = 10 * v + (layer.p[i] - '0');
	return v;
}

static const char all_layers[] = "all";

static struct cell *add_cell(const struct table *t, size_t row, size_t source, struct plot_data *d)
{
	struct str layer = text(t, row, "layer");
	struct cell *c;

	if (str_is(layer, all_layers))
		layer = (struct str){ NULL, 0 };
	c = plot_data_add_cell(d, source, layer);
	if (!c)
		return NULL;
	c->order = lower_bound(layer);
	c->concurrency = count(t, row, "concurrency", COUNT_NONE);
	c->rate_hz = number(t, row, "rate_hz");
	c->mean_concurrency = number(t, row, "mean_concurrency");
	return c;
}

static void read_dist(const struct table *t, size_t row, enum measure m, struct cell *c)
{
	struct dist *d = &c->dist[m];
	char column[64];
	bool any = false;

	for (int l = 0; l < LEVELS; l++) {
		snprintf(column, sizeof(column), "%s_%s_ms", measure_name(m), level_name((enum level)l));
		d->at[l] = number(t, row, column);
		any |= isfinite(d->at[l]);
	}
	snprintf(column, sizeof(column), "%s_n", measure_name(m));
	d->n = any ? count(t, row, column, c->ok) : 0;
}

static int read_groups(const struct table *t, size_t source, struct plot_data *d)
{
	for (size_t row = 0; row < table_rows(t); row++) {
		struct cell *c = add_cell(t, row, source, d);

		if (!c)
			return -1;
		c->ok = count(t, row, "ok", 0);
		c->total = count(t, row, "total", c->ok);
		c->output_tok_s = number(t, row, "output_throughput_tok_s");
		c->request_hz = number(t, row, "request_throughput_hz");
		c->goodput_hz = number(t, row, "goodput_hz");
		for (int m = 0; m < MEASURES; m++)
			read_dist(t, row, (enum measure)m, c);
	}
	return 0;
}

static bool same_group(const struct cell *c, const struct cell *o)
{
	if (c->source != o->source || c->concurrency != o->concurrency)
		return false;
	if (!(c->rate_hz == o->rate_hz || (isnan(c->rate_hz) && isnan(o->rate_hz))))
		return false;
	if (!c->layer || !o->layer)
		return c->layer == o->layer;
	return strcmp(c->layer, o->layer) == 0;
}

/* The group of a row: an older one, or a new one that is added. */
static struct cell *group_of(const struct table *t, size_t row, size_t source, struct plot_data *d)
{
	struct cell *c = add_cell(t, row, source, d);

	for (size_t i = 0; c && i + 1 < d->n_cells; i++)
		if (same_group(&d->cells[i], c)) {
			free(c->layer);
			d->n_cells--;
			return &d->cells[i];
		}
	return c;
}

static int add_sample(struct dist *d, double ms)
{
	double *v = d->sorted;

	if (!isfinite(ms))
		return 0;
	if ((d->n & (d->n - 1)) == 0) {
		v = realloc(v, (size_t)(d->n ? 2 * d->n : 1) * sizeof(*v));
		if (!v)
			return -1;
		d->sorted = v;
	}
	v[d->n++] = ms;
	return 0;
}

static int read_requests(const struct table *t, size_t source, struct plot_data *d)
{
	for (size_t row = 0; row < table_rows(t); row++) {
		struct cell *c = group_of(t, row, source, d);

		if (!c)
			return -1;
		c->total++;
		if (!str_is(text(t, row, "status"), "ok"))
			continue;
		c->ok++;
		for (int m = 0; m < MEASURES; m++) {
			char column[64];

			snprintf(column, sizeof(column), "%s_ms", measure_name((enum measure)m));
			if (add_sample(&c->dist[m], number(t, row, column)) < 0)
				return -1;
		}
	}
	return 0;
}

static void finish(struct dist *d)
{
	if (!d->sorted)
		return;
	quantile_sort(d->sorted, (size_t)d->n);
	for (int l = 0; l < LEVELS; l++)
		d->at[l] = quantile_linear(d->sorted, (size_t)d->n, pct_of(level_pct((enum level)l)));
}

int input_table(const struct table *t, size_t source, struct plot_data *d, struct err *e)
{
	int rc;

	if (table_find(t, "ttft_ms") >= 0 && table_find(t, "status") >= 0)
		rc = read_requests(t, source, d);
	else if (table_find(t, "output_throughput_tok_s") >= 0)
		rc = read_groups(t, source, d);
	else
		return err_set(e, "no table of tokanalyze: it has neither the column "
			"\"output_throughput_tok_s\" nor \"ttft_ms\"");
	if (rc < 0)
		return err_set(e, "out of memory");
	for (size_t i = 0; i < d->n_cells; i++)
		for (int m = 0; d->cells[i].source == source && m < MEASURES; m++)
			finish(&d->cells[i].dist[m]);
	return 0;
}
