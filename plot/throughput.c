/*
 * Throughput by load: output tokens per second, and requests per second with those
 * within the service level (goodput) dashed.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "plot/chart.h"
#include "plot/palette.h"
#include "plot/series.h"

typedef double get_value(const struct cell *c); /* one figure of a group; NaN: absent */

static double output_tok_s(const struct cell *c)
{
	return c->output_tok_s;
}

static double request_hz(const struct cell *c)
{
	return c->request_hz;
}

static double goodput_hz(const struct cell *c)
{
	return c->goodput_hz;
}

static bool any_value(const struct series_set *set, get_value *get)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->s[i].n; k++)
			if (isfinite(get(set->s[i].cells[k])))
				return true;
	return false;
}

static void add_curves(struct figure *f, struct panel *p, const struct series_set *set,
	const char *what, get_value *get, int dash)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->s[i];
		struct style style = s->style;
		char name[FIGURE_TEXT + 16];
		struct curve *c;

		style.dash = dash;
		snprintf(name, sizeof(name), "%s%s", what, s->name);
		c = figure_curve(f, p, name, &style);
		for (size_t k = 0; c && k < s->n; k++)
			figure_point(f, c, s->x[k], get(s->cells[k]), false);
	}
}

static struct panel *add_panel(struct figure *f, const struct series_set *set, const char *title,
	const char *unit, get_value *get)
{
	struct panel *p = figure_panel(f);

	snprintf(p->title, sizeof(p->title), "%s", title);
	snprintf(p->xlabel, sizeof(p->xlabel), "%s", load_label(set->load));
	snprintf(p->ylabel, sizeof(p->ylabel), "%s (%s)", title, unit);
	snprintf(p->unit, sizeof(p->unit), "%s", unit);
	add_curves(f, p, set, "", get, 0);
	return p;
}

static int fit(const struct series_set *set, struct panel *p, struct err *e)
{
	struct extent y = panel_extent_y(p);

	axis_from_zero(&p->y, &y);
	return series_axis(set, &p->x, e);
}

static int add_panels(struct figure *f, const struct series_set *set, struct err *e)
{
	struct panel *p;

	if (any_value(set, output_tok_s)) {
		p = add_panel(f, set, "Output throughput", "tok/s", output_tok_s);
		if (fit(set, p, e) < 0)
			return -1;
	}
	if (!any_value(set, request_hz))
		return 0;
	p = add_panel(f, set, "Request throughput", "requests/s", request_hz);
	if (any_value(set, goodput_hz)) {
		add_curves(f, p, set, "goodput, ", goodput_hz, 1);
		figure_note(f, "Dashed: goodput, requests/s within the service level.");
	}
	return fit(set, p, e);
}

static int draw(struct figure *f, const struct plot_data *d, const struct series_set *set,
	const struct chart_opts *o, struct script *out, struct err *e)
{
	chart_head(f, d, o, set->load == LOAD_RATE ? "Throughput by offered rate"
		: "Throughput by concurrency", "");
	if (add_panels(f, set, e) < 0)
		return -1;
	if (f->n_panels == 0)
		return err_set(e, "nothing to plot: no group has a throughput");
	series_legend(set, d, f);
	return figure_write(f, &o->page, out, e);
}

int chart_throughput(const struct plot_data *d, const struct chart_opts *o, struct script *out,
	struct err *e)
{
	struct series_set set;
	struct figure f;
	int rc;

	if (series_collect(d, true, &set, e) < 0)
		return -1;
	figure_init(&f, "throughput");
	rc = draw(&f, d, &set, o, out, e);
	figure_release(&f);
	series_release(&set);
	return rc;
}
