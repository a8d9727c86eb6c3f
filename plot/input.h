/*
 * Files -> what charts are drawn from.  A trace is told from a table by its first bytes.
 */
#ifndef PLOT_INPUT_H
#define PLOT_INPUT_H

#include "formats/base/buf.h"
#include "formats/base/err.h"
#include "formats/base/opt.h"
#include "formats/table/table.h"
#include "formats/trace/exchanges.h"
#include "plot/data.h"

struct input_opts {
	struct opt_counts layers;     /* bounds in tokens; none: automatic */
	double target_ms[MEASURES];    /* for goodput; NaN: none */
};

/*
 * Reads n files ("-": stdin), each a source of d with its groups.  Automatic layers are
 * chosen from all traces together, so that their curves can be compared.  0, or -1.
 * What is missing from a file that is cut is added to remarks, a line each.
 */
int input_read(char *const *paths, size_t n, const struct input_opts *o, struct plot_data *d,
	struct buf *remarks, struct err *e);

/* A table of tokanalyze -> groups of a source. */
int input_table(const struct table *t, size_t source, struct plot_data *d, struct err *e);

/* Traces in memory, each with the source that it stands for. */
struct traces {
	struct trace_data *t; /* owned, as source */
	size_t *source;
	size_t n;
};

/* 0, 1: cut, err says where, or -1. */
int traces_load(struct traces *ts, const char *path, size_t source, struct err *e);
/* All of them -> groups of their sources. */
int traces_analyze(const struct traces *ts, const struct input_opts *o, struct plot_data *d,
	struct err *e);
void traces_release(struct traces *ts);

#endif
