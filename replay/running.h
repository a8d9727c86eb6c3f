/*
 * A run as it goes, inside the driver: which phase is at hand, and what the pump does at
 * each call.  driver.c gives it events and a clock.
 */
#ifndef REPLAY_RUNNING_H
#define REPLAY_RUNNING_H

#include "replay/driver.h"
#include "replay/phases.h"
#include "replay/pool.h"
#include "replay/progress.h"

struct driver {
	const struct plan *plan;
	const struct runlog *log;
	struct tally *tally;
	struct err last;           /* of the latest call that failed */
	struct err *e;             /* the first one, for the caller */
	struct event_base *base;
	struct pool *pool;
	struct dispatch *dispatch;
	struct phases phases;
	struct event *pump_timer, *tick_timer, *signals[2];
	int64_t epoch_ns, grace_ns;
	int64_t preconnect;        /* as in struct drive_opts */
	struct progress progress;
	struct health *health;
	int64_t ticks;

	size_t phase;
	enum { TO_BEGIN, SENDING, DRAINING } stage; /* of the phase */
	int64_t begin_ns;          /* of the phase, from the epoch */
	int64_t start_ns;          /* of the first round; NS_NONE: at once */
	size_t unreachable;        /* in the phase */
	bool stopping;
	enum drive_result result;
};

static inline int64_t driver_now(const struct driver *d)
{
	return clock_mono_ns() - d->epoch_ns;
}

static inline const struct plan_phase *driver_phase(const struct driver *d)
{
	return &d->plan->phases[d->phase];
}

/* When the phase stops to send, INT64_MAX if only when all is sent. */
int64_t driver_time_over_ns(const struct driver *d);

/* Sends what may be sent now, and goes to the next phase when this one is over. */
void driver_pump(struct driver *d);
/* Opens connections for the phase at hand: nothing is in flight, so it is in nobody's way. */
void driver_preconnect(struct driver *d);
/* Ends the event loop; d->last says why if it failed. */
void driver_stop(struct driver *d, enum drive_result result);

/* The pool's calls; arg is the driver. */
void driver_ended(void *arg, size_t i, const struct rec_response *last);
void driver_failed(void *arg);

#endif
