/*
 * What charts are drawn from: groups of requests with their figures, whether they came
 * from a trace (from_trace.c) or from a table (from_table.c).  Plain data, so that a
 * chart is a pure function of it.
 */
#ifndef PLOT_DATA_H
#define PLOT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/str.h"

enum measure { MEASURE_TTFT, MEASURE_TPOT, MEASURE_E2E, MEASURES };
enum level { LEVEL_P50, LEVEL_P95, LEVEL_P99, LEVELS };

/* "ttft", "tpot", "e2e". */
const char *measure_name(enum measure m);
/* "p50", "p95", "p99". */
const char *level_name(enum level l);
/* The same as analyze/stats.h counts them: PCT_50, ... */
int level_pct(enum level l);

/* One metric of one group, in ms.  NaN: absent. */
struct dist {
	int64_t n;          /* requests that have a value */
	double at[LEVELS];
	double *sorted;     /* n samples, ascending; NULL if the source was a table of groups */
};

struct cell {
	size_t source;          /* index into plot_data.sources */
	char *layer;            /* "(1024,8192]"; owned; NULL: all layers together */
	int64_t order;          /* sorts the layers: the lower bound in tokens */
	int64_t concurrency;    /* COUNT_NONE in an open loop */
	double rate_hz;         /* offered; NaN: none */
	double mean_concurrency;/* measured; NaN: unknown */
	int64_t total, ok;      /* requests */
	double output_tok_s, request_hz, goodput_hz; /* NaN: unknown */
	struct dist dist[MEASURES];
};

/* A trace or table that was read. */
struct source {
	char *name;     /* for people, "run3"; owned, as the others */
	char *model;    /* NULL: unknown */
	char *engine;   /* NULL: unknown */
};

struct plot_data {
	struct source *sources;
	size_t n_sources;
	struct cell *cells;
	size_t n_cells;
};

/* The new source or cell, everything absent; valid until the next add.  NULL: no memory. */
struct source *plot_data_add_source(struct plot_data *d, struct str name);
struct cell *plot_data_add_cell(struct plot_data *d, size_t source, struct str layer);
void plot_data_release(struct plot_data *d);

/* True if the source has groups by layer; then those without one are their totals. */
bool plot_data_layered(const struct plot_data *d, size_t source);

/* Requests of all sources, each counted once. */
int64_t plot_data_ok(const struct plot_data *d);
int64_t plot_data_total(const struct plot_data *d);

#endif
