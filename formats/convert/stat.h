/*
 * What a trace holds, in figures: requests, arrivals, lengths by layer, shared prefixes.
 * tokens: those that the source gave, else those that the engine counted.
 */
#ifndef CONVERT_STAT_H
#define CONVERT_STAT_H

#include <stdio.h>

#include "formats/base/err.h"
#include "formats/table/table.h"
#include "formats/trace/exchanges.h"

enum stat_method { STAT_LINEAR, STAT_NEAREST };
enum { STAT_PCTS = 4 }; /* p50, p90, p95, p99 */
extern const int stat_pcts[STAT_PCTS];

/* Of one length over the requests for which it is known; NaN where n is 0. */
struct stat_series {
	size_t n;
	double min, max, mean, sum;
	double pct[STAT_PCTS];
};

struct stat_layer {
	char label[64]; /* "[0,1024]", "(1024,8192]", "(24576,inf)", "unknown" */
	size_t requests;
	struct stat_series input, output;
};

struct stat {
	size_t requests, responses;
	int64_t span_ns; /* last - first arrival, NS_NONE if none is known */
	size_t arrivals; /* distinct ones */
	enum stat_method method;
	struct stat_series input, output;
	bool has_prefix; /* every request with blocks has the same block size */
	int64_t block_tokens;
	int64_t blocks, distinct, hit_blocks, hit_tokens;
	size_t sessions, inferred; /* distinct ones; of them not named by the client */
	struct stat_series turns;  /* requests of a session */
	struct stat_layer *layers; /* owned */
	size_t n_layers;
};

struct stat_opts {
	const int64_t *edges; /* ascending */
	size_t n_edges;
	enum stat_method method;
};

/*
 * hit_blocks: leading blocks that an earlier request of the segment had, with a cache that
 * forgets nothing; hit_tokens: the same in tokens, at most the request's own (the last block
 * may be partial), and where blocks were cut from text, by their share of its bytes.  0 or -1; after 0 the caller releases s.
 */
int stat_compute(const struct trace_data *d, const struct stat_opts *o, struct stat *s,
		 struct err *e);
void stat_release(struct stat *s);
/* Counts sessions; *turns is owned by the caller: the requests of each.  0 or -1.  Private to stat. */
int stat_sessions(const struct trace_data *d, struct stat *s, double **turns);

/* Last - first arrival; NaN if none is known. */
double stat_span_ms(const struct stat *s);
/* For people: one row for all requests, one per layer.  NULL: out of memory. */
struct table *stat_table(const struct stat *s);
/* One JSON object, "toktrace-stat" version 1.  0, or -1: write error. */
int stat_print_json(const struct stat *s, FILE *out, struct err *e);

#endif
