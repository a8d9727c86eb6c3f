/*
 * The place of each request in the plan: which request of the source it repeats, what it
 * waits for, when it is due, whose it is.  The pure part of the plan before any body.
 */
#ifndef REPLAY_PLACING_H
#define REPLAY_PLACING_H

#include "replay/arrivals.h"
#include "replay/plan.h"

struct placing {
	struct plan *p;
	struct recorded rec;      /* the order, and the recorded times */
	int64_t *sent_as;         /* item -> its latest entry in the phases at hand, or -1 */
	struct arrivals arrivals;
	int64_t roots;            /* in the phase, so far */
};

/* The plan's source and options are set.  0, or -1 and nothing to release. */
int placing_init(struct placing *pl, struct plan *p, struct err *e);
void placing_release(struct placing *pl);

/*
 * How many requests a phase of this load and scenario (-1: none) has; asked: COUNT_NONE if nothing was said.
 * Then it is once the source, or as many as fit into the load's duration: exactly, or in
 * a closed loop an upper bound.
 */
int64_t placing_count(const struct placing *pl, const struct load *l, int64_t scenario,
		      uint64_t stream, int64_t asked);

/* Phases in order; then their requests in order: k from 0 within the phase. */
void placing_begin(struct placing *pl, const struct plan_phase *ph);
void placing_entry(struct placing *pl, size_t phase, size_t k);

/* What the phase offers; its entries are placed. */
double placing_rate_hz(const struct placing *pl, const struct plan_phase *ph);

#endif
