/*
 * Distribution of TTFT by layer: the share of requests (empirical distribution function)
 * whose first token came within a time, on a logarithmic axis.  A panel per level of
 * load, since pooling an idle with a full engine tells of neither.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/series.h"

/* Steps per curve; longer samples are thinned to evenly spaced ranks. */
enum { MOST_STEPS = 1000, POINTS = 6 };

struct counts {
	size_t values, unshown;
	size_t missing;    /* groups whose single values are unknown */
	bool thinned;
};

/* Both ends of the step at the sample of each shown rank. */
static void add_steps(struct figure *f, struct curve *c, const double *v, size_t n, double scale,
	struct counts *k)
{
	size_t steps = n < MOST_STEPS ? n : MOST_STEPS;

	k->thinned |= steps < n;
	for (size_t i = 0; i < steps; i++) {
		size_t rank = steps < n ? i * (n - 1) / (steps - 1) : i;

		if (v[rank] <= 0)
			continue;
		if (steps == n)
			figure_point(f, c, v[rank] * scale, 100.0 * (double)rank / (double)n, false);
		figure_point(f, c, v[rank] * scale, 100.0 * (double)(rank + 1) / (double)n, false);
	}
	k->values += n;
	for (size_t i = 0; i < n && v[i] <= 0; i++)
		k->unshown++;
}

static void add_curve(struct figure *f, struct panel *p, const struct series *s, const struct cell *cell,
	double scale, struct counts *k)
{
	const struct dist *d = &cell->dist[MEASURE_TTFT];
	struct style style = s->style;
	struct curve *c;

	if (!d->sorted) {
		k->missing += d->n > 0;
		return;
	}
	style.points_wanted = POINTS;
	style.width = 1.8;
	c = figure_curve(f, p, s->name, &style);
	if (c)
		add_steps(f, c, d->sorted, (size_t)d->n, scale, k);
}

static void label_panel(struct panel *p, enum load load, double x, const char *unit)
{
	if (isnan(x))
		snprintf(p->title, sizeof(p->title), "TTFT");
	else
		snprintf(p->title, sizeof(p->title), load == LOAD_RATE ? "TTFT at %.10g requests/s"
			: "TTFT at concurrency %.10g", x);
	snprintf(p->xlabel, sizeof(p->xlabel), "TTFT (%s)", unit);
	snprintf(p->ylabel, sizeof(p->ylabel), "requests (%%)");
	snprintf(p->unit, sizeof(p->unit), "%% of requests");
}

static bool has_target(double target_ms)
{
	return isfinite(target_ms) && target_ms > 0;
}

static double greatest(const struct series_set *set)
{
	double max = NAN;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->s[i].n; k++) {
			const struct dist *d = &set->s[i].cells[k]->dist[MEASURE_TTFT];

			if (d->sorted && d->n > 0)
				max = fmax(max, d->sorted[d->n - 1]);
		}
	return max;
}

/* The panel of one load (NaN: of all); none if it has no curve. */
static void add_panel(struct figure *f, const struct series_set *set, double x, double target_ms,
	struct counts *counts)
{
	struct panel *p = figure_panel(f);
	double scale;
	const char *unit = chart_time_unit(greatest(set), &scale);
	size_t points = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->s[i].n; k++)
			if (isnan(x) || set->s[i].x[k] == x)
				add_curve(f, p, &set->s[i], set->s[i].cells[k], scale, counts);
	for (size_t i = 0; i < p->n_curves; i++)
		points += p->curves[i].n;
	if (points == 0) {
		figure_drop_panel(f);
		return;
	}
	label_panel(p, set->load, x, unit);
	if (has_target(target_ms))
		p->marks[p->n_marks++] = (struct mark){ .at = target_ms * scale, .vertical = true };
}

/* One x range for all panels, so that they can be compared by eye. */
static void fit(struct figure *f)
{
	static const double percents[] = { 0, 25, 50, 75, 90, 100 };
	struct extent all;

	extent_init(&all);
	for (size_t i = 0; i < f->n_panels; i++) {
		struct extent x = panel_extent_x(&f->panels[i]);

		extent_add(&all, x.min);
		extent_add(&all, x.max);
	}
	for (size_t i = 0; i < f->n_panels; i++) {
		struct axis *y = &f->panels[i].y;

		axis_log(&f->panels[i].x, &all);
		*y = (struct axis){ .hi = 102, .n_tics = sizeof(percents) / sizeof(*percents) };
		for (size_t k = 0; k < y->n_tics; k++)
			y->tics[k] = percents[k];
	}
}

static int nothing(const struct counts *k, struct err *e)
{
	if (k->unshown > 0)
		return err_set(e, "nothing to plot: all %zu values of TTFT are <= 0 and a log axis cannot show them",
			k->unshown);
	if (k->missing > 0)
		return err_set(e, "nothing to plot: a table of groups has no single TTFTs; "
			"give the trace, or the table of \"tokanalyze --per-request --format tsv\"");
	return err_set(e, "nothing to plot: no request has a TTFT");
}

/* A load that was not set but came about has no levels: then all is one panel. */
static int add_panels(struct figure *f, const struct series_set *set, double target_ms,
	struct counts *k, struct err *e)
{
	size_t n;
	double *x;

	if (set->load == LOAD_MEASURED) {
		add_panel(f, set, NAN, target_ms, k);
		return 0;
	}
	x = series_loads(set, &n, e);
	if (!x)
		return -1;
	for (size_t i = 0; i < n && i < PAGE_PANELS; i++)
		add_panel(f, set, x[i], target_ms, k);
	if (n > PAGE_PANELS)
		figure_note(f, "%zu further levels of load are not shown.", n - PAGE_PANELS);
	free(x);
	return 0;
}

static int draw(struct figure *f, const struct plot_data *d, const struct series_set *set,
	const struct chart_opts *o, struct script *out, struct err *e)
{
	struct counts k = { 0 };

	chart_head(f, d, o, "Distribution of time to first token (TTFT)", "; empirical distribution");
	if (add_panels(f, set, o->target_ms[MEASURE_TTFT], &k, e) < 0)
		return -1;
	if (f->n_panels == 0)
		return f->failed ? err_set(e, "out of memory") : nothing(&k, e);
	fit(f);
	series_legend(set, d, f);
	if (has_target(o->target_ms[MEASURE_TTFT]))
		figure_note(f, "Upright line: target %g ms.", o->target_ms[MEASURE_TTFT]);
	chart_note_unshown(f, out, "TTFT", k.unshown, k.values);
	if (k.thinned)
		figure_note(f, "Curves of more than %d requests are thinned to that many steps.", MOST_STEPS);
	return figure_write(f, &o->page, out, e);
}

int chart_ttft(const struct plot_data *d, const struct chart_opts *o, struct script *out,
	struct err *e)
{
	struct series_set set;
	struct figure f;
	int rc;

	if (series_collect(d, false, &set, e) < 0)
		return -1;
	figure_init(&f, "ttft");
	rc = draw(&f, d, &set, o, out, e);
	figure_release(&f);
	series_release(&set);
	return rc;
}
