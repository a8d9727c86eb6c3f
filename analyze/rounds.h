/*
 * Rounds of one level: each is summarised by itself, and the level by the median of its
 * rounds with their spread, so that one bad round neither hides nor decides.
 */
#ifndef ANALYZE_ROUNDS_H
#define ANALYZE_ROUNDS_H

#include "analyze/analysis.h"
#include "analyze/window.h"

struct round {
	ptrdiff_t window;
	int64_t number;                  /* from 1 */
	struct sample stats[METRICS];    /* of its ok requests */
	int64_t output_tokens, ok;
	double window_s;
	double output_throughput_tok_s, request_throughput_hz; /* NaN: no window */
};

/* Of one figure over the rounds that have it; NaN: none has. */
struct spread {
	double median, min, max;
	size_t n;
};

/*
 * Fills the group's rounds, in their order, if its phases are numbered rounds of one level:
 * else there are none.  0 or -1 (out of memory).
 */
int rounds_fill(const struct analysis *a, struct group *g, ptrdiff_t group, const struct windows *ws,
		const ptrdiff_t *window_of);
void rounds_release(struct group *g);

struct spread rounds_percentile(const struct group *g, enum metric m, double p);
struct spread rounds_output_throughput(const struct group *g);
struct spread rounds_request_throughput(const struct group *g);

#endif
