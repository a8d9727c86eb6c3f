/*
 * Groups -> curves: the groups of one source and layer, in ascending load, under one
 * name and one look.
 */
#ifndef PLOT_SERIES_H
#define PLOT_SERIES_H

#include "formats/base/err.h"
#include "plot/data.h"
#include "plot/figure.h"

/* What stands on the x axis of charts by load. */
enum load {
	LOAD_CONCURRENCY, /* closed loop: requests kept in flight */
	LOAD_RATE,        /* open loop: offered requests per second */
	LOAD_MEASURED,    /* neither was set: mean requests in flight */
};

const char *load_label(enum load x);

struct series {
	char name[FIGURE_TEXT];
	struct style style;
	const struct cell **cells; /* ascending load; owned */
	double *x;                 /* their loads; owned */
	size_t n;
	bool total;                /* all layers together, beside the layers */
};

struct series_set {
	enum load load;
	struct series *s;          /* by source, then layer, totals last; owned */
	size_t n;
	bool layered;              /* names are layers: the legend says of what */
	size_t left_out;           /* groups without a value of this load */
};

/*
 * with_totals: totals of sources that have layers are series too.  0, or -1: out of
 * memory, or no group has an ok request; err says which source and how many failed.
 */
int series_collect(const struct plot_data *d, bool with_totals, struct series_set *out,
	struct err *e);
void series_release(struct series_set *set);

/* All distinct loads, ascending; the caller frees them.  NULL: out of memory. */
double *series_loads(const struct series_set *set, size_t *n, struct err *e);
/* An axis with a tic at each of them. */
int series_axis(const struct series_set *set, struct axis *a, struct err *e);

/* Adds the set's names to the legend, and to the notes what is not drawn and why. */
void series_legend(const struct series_set *set, const struct plot_data *d, struct figure *f);

#endif
