/*
 * The kinds of chart.  To add one: a file with its draw function, its declaration
 * below, and a row in chart.c.
 */
#ifndef PLOT_CHART_H
#define PLOT_CHART_H

#include "formats/base/err.h"
#include "plot/data.h"
#include "plot/figure.h"

struct chart_opts {
	struct page page;
	const char *title;        /* instead of the chart's own; NULL */
	double target_ms[MEASURES]; /* service level; NaN: none */
};

struct chart {
	const char *name;
	const char *help;  /* one line */
	/*
	 * Pure: same data and options, same text.  0, or -1: nothing to plot, too small a
	 * page, no memory.
	 */
	int (*draw)(const struct plot_data *d, const struct chart_opts *o, struct script *out,
		struct err *e);
};

extern const struct chart charts[]; /* ends with .name == NULL */
const struct chart *chart_named(const char *name);

/* The kinds. */
int chart_latency(const struct plot_data *, const struct chart_opts *, struct script *, struct err *);
int chart_throughput(const struct plot_data *, const struct chart_opts *, struct script *, struct err *);
int chart_ttft(const struct plot_data *, const struct chart_opts *, struct script *, struct err *);

/* For the kinds: title, then models, engines and requests, followed by the method. */
void chart_head(struct figure *f, const struct plot_data *d, const struct chart_opts *o,
	const char *title, const char *method);
/* "2 of 4 points are <= 0 and not shown on a log axis", in the notes and as a remark. */
void chart_note_unshown(struct figure *f, struct script *s, const char *what, size_t dropped,
	size_t of);
/* "ms" below 10 s, else "s"; *scale turns ms into it. */
const char *chart_time_unit(double max_ms, double *scale);

#endif
