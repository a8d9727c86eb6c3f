/*
 * Latency by load: a panel per metric, a curve per layer and percentile.  Colour and
 * point tell the layer, the dash tells the percentile.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "analyze/stats.h"
#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/series.h"

static const char *const titles[MEASURES] = {
	[MEASURE_TTFT] = "Time to first token (TTFT)",
	[MEASURE_TPOT] = "Time per output token (TPOT)",
	[MEASURE_E2E] = "End to end (E2E)",
};

static const char *const short_titles[MEASURES] = { "TTFT", "TPOT", "E2E" };

/* The middle percentile leads; p50 is dotted, p99 dashed. */
static struct style with_level(struct style s, enum level l)
{
	static const int dash[LEVELS] = { 2, 0, 1 };
	static const double width[LEVELS] = { 1.3, 2.2, 1.3 };

	s.dash = dash[l];
	s.width = width[l];
	return s;
}

static bool is_unsure(const struct dist *d, enum level l)
{
	return d->n < (int64_t)pct_needs(level_pct(l));
}

static double greatest(const struct series_set *set, enum measure m)
{
	double max = NAN;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->s[i].n; k++)
			for (int l = 0; l < LEVELS; l++)
				max = fmax(max, set->s[i].cells[k]->dist[m].at[l]);
	return max;
}

static void add_curves(struct figure *f, struct panel *p, const struct series *s, enum measure m,
	double scale, bool *unsure)
{
	for (int l = 0; l < LEVELS; l++) {
		struct style style = with_level(s->style, (enum level)l);
		char name[FIGURE_TEXT + 8];
		struct curve *c;

		snprintf(name, sizeof(name), "%s, %s", level_name((enum level)l), s->name);
		c = figure_curve(f, p, name, &style);
		for (size_t i = 0; c && i < s->n; i++) {
			const struct dist *d = &s->cells[i]->dist[m];
			bool hollow = is_unsure(d, (enum level)l);

			*unsure |= hollow && isfinite(d->at[l]);
			figure_point(f, c, s->x[i], d->at[l] * scale, hollow);
		}
	}
}

static void add_target(struct panel *p, double target_ms, double scale, const char *unit)
{
	struct mark *m = &p->marks[p->n_marks];

	if (!isfinite(target_ms))
		return;
	p->n_marks++;
	*m = (struct mark){ .at = target_ms * scale };
	snprintf(m->text, sizeof(m->text), "target %g %s", m->at, unit);
}

static int add_panel(struct figure *f, const struct series_set *set, const struct chart_opts *o,
	enum measure m, struct script *s, bool *unsure, struct err *e)
{
	struct panel *p;
	struct extent y;
	size_t dropped, of;
	double scale, max = greatest(set, m);
	const char *unit = chart_time_unit(max, &scale);

	if (!isfinite(max)) {
		figure_note(f, "%s is left out: no request has one", short_titles[m]);
		return 0;
	}
	p = figure_panel(f);
	snprintf(p->title, sizeof(p->title), "%s", titles[m]);
	snprintf(p->xlabel, sizeof(p->xlabel), "%s", load_label(set->load));
	snprintf(p->ylabel, sizeof(p->ylabel), "%s (%s)", short_titles[m], unit);
	snprintf(p->unit, sizeof(p->unit), "%s", unit);
	for (size_t i = 0; i < set->n; i++)
		add_curves(f, p, &set->s[i], m, scale, unsure);
	add_target(p, o->target_ms[m], scale, unit);
	y = panel_extent_y(p);
	axis_spread(&p->y, &y);
	dropped = panel_drop_unshown(p, &of);
	chart_note_unshown(f, s, short_titles[m], dropped, of);
	return series_axis(set, &p->x, e);
}

/* In text the three percentiles share their letter. */
static void add_levels_to_legend(struct figure *f, bool text)
{
	if (text) {
		figure_note(f, "A letter stands for p50, p95 and p99, from below.");
		return;
	}
	figure_legend(f, "percentile", &(struct style){ .colour = palette_ink });
	for (int l = 0; l < LEVELS; l++) {
		struct style s = with_level((struct style){ .colour = palette_ink }, (enum level)l);

		figure_legend(f, level_name((enum level)l), &s);
	}
}

static int draw(struct figure *f, const struct plot_data *d, const struct series_set *set,
	const struct chart_opts *o, struct script *out, struct err *e)
{
	bool unsure = false, text = page_is_text(&o->page);

	chart_head(f, d, o, set->load == LOAD_RATE ? "Latency by offered rate" : "Latency by concurrency",
		"; percentiles: linear");
	for (int m = 0; m < MEASURES; m++)
		if (add_panel(f, set, o, (enum measure)m, out, &unsure, e) < 0)
			return -1;
	if (f->n_panels == 0)
		return err_set(e, "nothing to plot: no request has a TTFT, TPOT or E2E");
	series_legend(set, d, f);
	add_levels_to_legend(f, text);
	if (unsure)
		figure_note(f, "%s: too few requests for that percentile "
			"(needs %zu for p50, %zu for p95, %zu for p99).", text ? "Lower case" : "Hollow",
			pct_needs(PCT_50), pct_needs(PCT_95), pct_needs(PCT_99));
	return figure_write(f, &o->page, out, e);
}

int chart_latency(const struct plot_data *d, const struct chart_opts *o, struct script *out,
	struct err *e)
{
	struct series_set set;
	struct figure f;
	int rc;

	if (series_collect(d, false, &set, e) < 0)
		return -1;
	figure_init(&f, "latency");
	rc = draw(&f, d, &set, o, out, e);
	figure_release(&f);
	series_release(&set);
	return rc;
}
