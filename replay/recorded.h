/*
 * The recorded arrivals of a source, as a replay repeats them: a window of them, in order,
 * with long idle gaps shortened, faster or slower, and over again when more are asked for.
 */
#ifndef REPLAY_RECORDED_H
#define REPLAY_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

struct recorded_opts {
	double speed;                /* > 0; 10 replays ten recorded seconds in one */
	int64_t max_gap_ns;          /* longer gaps between arrivals become this; NS_NONE: none do */
	int64_t from_ns, to_ns;      /* window, from the first arrival; NS_NONE: open; to is excluded */
};

struct recorded {
	size_t *item;        /* in order of sending */
	int64_t *at_ns;      /* recorded time from the first one's, gaps shortened; NULL: no times */
	size_t n;
	int64_t period_ns;   /* recorded time of one pass, up to the first arrival of the next */
	double speed;
};

/*
 * From n arrivals, NS_NONE where one is unknown.  timed: they give the order and the
 * times, and all must be known; else the order is that of the source.  A window needs
 * arrivals in any case.  A second pass begins one mean gap after the first one's last
 * arrival.  0, or -1 and nothing to release.
 */
int recorded_init(struct recorded *r, const int64_t *arrival_ns, size_t n,
		  const struct recorded_opts *o, bool timed, struct err *e);
void recorded_release(struct recorded *r);

/* Intended time of the k-th request sent, in ns from the phase's begin; saturates at INT64_MAX. */
int64_t recorded_due_ns(const struct recorded *r, size_t k);

#endif
