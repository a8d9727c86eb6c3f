/* Request-length layers: input tokens -> layer. */
#ifndef ANALYZE_LAYERS_H
#define ANALYZE_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layer {
	int64_t above, upto;  /* input tokens in (above, upto]; above -1 for the first, upto INT64_MAX for the last */
	char label[48];       /* "[0,1024]", "(1024,8192]", "(24576,inf)", "all", "unknown" */
};

enum { LAYER_EDGES_MAX = 62 };

struct layer_opts {
	int64_t edges[LAYER_EDGES_MAX]; /* ascending */
	size_t n;                       /* 0 with automatic off: one layer "all" */
	bool automatic;
};

/*
 * Automatic edges: of 1k, 2k, 4k, ... 1M those that split the lengths (ascending, n of them)
 * into at most four layers of at least an eighth of the requests each; none if all fit one.
 */
void layers_choose(const double *sorted_lengths, size_t n, struct layer_opts *o);
/* input_tokens COUNT_NONE: the layer "unknown". */
struct layer layer_of(const struct layer_opts *o, int64_t input_tokens);

/* A scenario that the run itself names, as "8k:256": input and output tokens. */
struct layer layer_named(const char *label, size_t n);

#endif
