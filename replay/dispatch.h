/*
 * Which request of the plan is sent next, and when: order, deadlines, slots, sessions.
 * Pure: it has no clock and no sockets; the driver tells it the time (ns from the trace's
 * epoch, never going back) and what has ended.
 *
 * Closed loop: strictly in the plan's order, as slots get free.  A turn waits for its
 * parent and its think time, and what stands behind it waits too, since order goes
 * before load.  With pinned lanes a request also waits for its own lane.
 * Every other timing: a request is due at its deadline; where a cap lets it wait, those
 * due first go first.  A turn whose parent has not ended is set aside, and is due when it
 * has, plus the think time; others pass it.
 */
#ifndef REPLAY_DISPATCH_H
#define REPLAY_DISPATCH_H

#include "replay/plan.h"

struct dispatch;

/* What may be sent. */
struct dispatched {
	size_t i;               /* in the plan */
	int64_t scheduled_ns;   /* when it was due; NS_NONE in a closed loop */
	int64_t queued_ns;      /* when that was noticed */
	int64_t lane;           /* its slot; COUNT_NONE without a cap */
};

/* The plan is borrowed.  NULL: out of memory. */
struct dispatch *dispatch_create(const struct plan *p);
void dispatch_free(struct dispatch *d);

/*
 * Phase after phase in order, with the time its deadlines count from.  What is still due
 * of the one before (which is over) is sent first.  0 or -1 (out of memory).
 */
int dispatch_begin(struct dispatch *d, size_t phase, int64_t begin_ns);

/* The next one to send at once, which then counts as in flight; false: none for now. */
bool dispatch_next(struct dispatch *d, int64_t now_ns, struct dispatched *out);
void dispatch_ended(struct dispatch *d, size_t i, int64_t now_ns);

/* When to ask again although nothing has ended; INT64_MAX: no need to. */
int64_t dispatch_wake_ns(const struct dispatch *d, int64_t now_ns);
/* True if nothing of the phase, or due before it, is left to send. */
bool dispatch_exhausted(const struct dispatch *d);

/*
 * The phase's time is over: nothing more of it becomes due.  What was due and never got
 * a slot is handed out, one a call, until false.
 */
void dispatch_time_over(struct dispatch *d);
bool dispatch_drop(struct dispatch *d, struct dispatched *out);

#endif
