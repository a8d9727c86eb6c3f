#include <config.h>

#include "plot/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/quantile.h"
#include "plot/escape.h"
#include "plot/palette.h"

enum { NAME_COLS = 30, LAYER_COLS = 24 };

/* Least distance of two tics, as a share of the axis. */
static const double tic_gap = 0.07;

const char *load_label(enum load x)
{
	static const char *const labels[] = {
		[LOAD_CONCURRENCY] = "concurrency (requests in flight)",
		[LOAD_RATE] = "offered rate (requests/s)",
		[LOAD_MEASURED] = "mean requests in flight (measured)",
	};
	return labels[x];
}

static double load_of(const struct cell *c, enum load x)
{
	if (x == LOAD_CONCURRENCY)
		return c->concurrency == COUNT_NONE ? NAN : (double)c->concurrency;
	return x == LOAD_RATE ? c->rate_hz : c->mean_concurrency;
}

/* The first load that any group was run at. */
static enum load choose_load(const struct plot_data *d)
{
	for (int x = LOAD_CONCURRENCY; x < LOAD_MEASURED; x++)
		for (size_t i = 0; i < d->n_cells; i++)
			if (isfinite(load_of(&d->cells[i], (enum load)x)))
				return (enum load)x;
	return LOAD_MEASURED;
}

static bool same_layer(const struct cell *a, const struct cell *b)
{
	if (!a->layer || !b->layer)
		return a->layer == b->layer;
	return strcmp(a->layer, b->layer) == 0;
}

/* Totals last, layers by their lower bound, then by name. */
static int compare_layers(const struct cell *a, const struct cell *b)
{
	if (!a->layer != !b->layer)
		return a->layer ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->layer ? strcmp(a->layer, b->layer) : 0;
}

struct loaded {
	const struct cell *c;
	double x;
};

static int compare_loaded(const void *pa, const void *pb)
{
	const struct loaded *a = pa, *b = pb;
	int by_layer = compare_layers(a->c, b->c);

	if (a->c->source != b->c->source)
		return a->c->source < b->c->source ? -1 : 1;
	if (by_layer)
		return by_layer;
	return a->x < b->x ? -1 : a->x > b->x;
}

/* The groups that can be drawn, sorted; n of them. */
static struct loaded *usable(const struct plot_data *d, bool with_totals, struct series_set *set,
	size_t *n)
{
	struct loaded *v = calloc(d->n_cells + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v && i < d->n_cells; i++) {
		const struct cell *c = &d->cells[i];
		double x = load_of(c, set->load);

		if (!c->layer && !with_totals && plot_data_layered(d, c->source))
			continue;
		if (c->ok == 0)
			continue;
		if (isfinite(x))
			v[(*n)++] = (struct loaded){ c, x };
		else
			set->left_out++;
	}
	if (v)
		qsort(v, *n, sizeof(*v), compare_loaded);
	return v;
}

static int add_series(struct series_set *set, const struct loaded *v, size_t n)
{
	struct series *s = realloc(set->s, (set->n + 1) * sizeof(*s));

	if (!s)
		return -1;
	set->s = s;
	s += set->n++;
	*s = (struct series){ .cells = calloc(n, sizeof(*s->cells)), .x = calloc(n, sizeof(*s->x)), .n = n };
	if (!s->cells || !s->x)
		return -1;
	for (size_t i = 0; i < n; i++) {
		s->cells[i] = v[i].c;
		s->x[i] = v[i].x;
	}
	return 0;
}

/* Rank of a layer among the distinct ones of all sources. */
static size_t layer_rank(const struct series_set *set, const struct cell *c)
{
	size_t rank = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct cell *o = set->s[i].cells[0];
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= same_layer(set->s[k].cells[0], o);
		if (!seen && compare_layers(o, c) < 0)
			rank++;
	}
	return rank;
}

static void name_series(struct series *s, const struct plot_data *d, bool layered)
{
	const struct cell *c = s->cells[0];
	const char *layer = c->layer ? c->layer : "all layers";
	struct buf b;
	bool named = d->n_sources > 1 || !layered;

	buf_init(&b, FIGURE_TEXT - 1);
	if (named)
		escape_clean(&b, str_of(d->sources[c->source].name), NAME_COLS);
	if (layered) {
		if (named)
			buf_adds(&b, ": ");
		escape_clean(&b, str_of(layer), LAYER_COLS);
	}
	snprintf(s->name, sizeof(s->name), "%s", b.n ? buf_cstr(&b) : "(unnamed)");
	buf_release(&b);
}

/* Colour tells layers apart and shape the sources; with one of either, both do the other. */
static void style_series(struct series *s, const struct plot_data *d, size_t rank, size_t index,
	bool many_layers)
{
	size_t source = s->cells[0]->source;

	s->style = (struct style){
		.colour = s->total ? palette_ink : palette_colour(many_layers ? rank : source),
		.shape = d->n_sources > 1 ? source : rank,
		.width = 2, .points = true, .letter = (char)('A' + index % 26),
	};
}

static void dress(struct series_set *set, const struct plot_data *d)
{
	bool many_layers = false;

	for (size_t i = 0; i < set->n; i++) {
		const struct cell *c = set->s[i].cells[0];

		set->layered |= c->layer != NULL;
		many_layers |= c->layer && layer_rank(set, c) > 0;
	}
	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->s[i];

		s->total = set->layered && !s->cells[0]->layer;
		name_series(s, d, set->layered);
		style_series(s, d, layer_rank(set, s->cells[0]), i, many_layers);
	}
}

static int no_ok_request(const struct plot_data *d, struct err *e)
{
	int64_t total = plot_data_total(d);

	if (d->n_sources == 1)
		return err_set(e, "nothing to plot: %s has no ok request (of %" PRId64 ")",
			d->sources[0].name, total);
	return err_set(e, "nothing to plot: none of the %zu inputs has an ok request (of %" PRId64 ")",
		d->n_sources, total);
}

int series_collect(const struct plot_data *d, bool with_totals, struct series_set *set, struct err *e)
{
	struct loaded *v;
	size_t n;
	int rc = 0;

	*set = (struct series_set){ .load = choose_load(d) };
	v = usable(d, with_totals, set, &n);
	if (!v)
		return err_set(e, "out of memory");
	for (size_t i = 0, k; i < n && rc == 0; i = k) {
		for (k = i + 1; k < n && v[k].c->source == v[i].c->source && same_layer(v[k].c, v[i].c);)
			k++;
		rc = add_series(set, v + i, k - i);
	}
	free(v);
	if (rc < 0)
		err_set(e, "out of memory");
	else if (n == 0)
		rc = set->left_out ? err_set(e, "nothing to plot: no group has a concurrency or a rate")
			: no_ok_request(d, e);
	else
		dress(set, d);
	if (rc < 0)
		series_release(set);
	return rc;
}

void series_release(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->s[i].cells);
		free(set->s[i].x);
	}
	free(set->s);
	*set = (struct series_set){ 0 };
}

double *series_loads(const struct series_set *set, size_t *kept, struct err *e)
{
	size_t n = 0;
	double *x;

	*kept = 0;
	for (size_t i = 0; i < set->n; i++)
		n += set->s[i].n;
	x = calloc(n, sizeof(*x));
	if (!x) {
		err_set(e, "out of memory");
		return NULL;
	}
	n = 0;
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->s[i].n; k++)
			x[n++] = set->s[i].x[k];
	quantile_sort(x, n);
	for (size_t i = 0; i < n; i++)
		if (*kept == 0 || x[i] > x[*kept - 1])
			x[(*kept)++] = x[i];
	return x;
}

int series_axis(const struct series_set *set, struct axis *a, struct err *e)
{
	size_t n;
	double *x = series_loads(set, &n, e);

	if (!x)
		return -1;
	axis_levels(a, x, n, tic_gap);
	free(x);
	return 0;
}

static bool is_drawn(const struct series_set *set, size_t source)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->s[i].cells[0]->source == source)
			return true;
	return false;
}

static void note_empty(const struct source *s, struct figure *f)
{
	struct buf b;

	buf_init(&b, FIGURE_TEXT);
	escape_clean(&b, str_of(s->name), NAME_COLS);
	figure_note(f, "%s is not drawn: it has no ok request at such a load.", buf_cstr(&b));
	buf_release(&b);
}

void series_legend(const struct series_set *set, const struct plot_data *d, struct figure *f)
{
	if (set->layered)
		figure_legend(f, "input tokens", &(struct style){ .colour = palette_ink });
	for (size_t i = 0; i < set->n; i++)
		figure_legend(f, set->s[i].name, &set->s[i].style);
	for (size_t i = 0; i < d->n_sources; i++)
		if (!is_drawn(set, i))
			note_empty(&d->sources[i], f);
	if (set->left_out)
		figure_note(f, "%zu groups have no such load and are not shown.", set->left_out);
}
