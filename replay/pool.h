/*
 * The requests of a run that are in flight: starts them through record/capture.h and writes
 * their records.
 */
#ifndef REPLAY_POOL_H
#define REPLAY_POOL_H

#include <event2/event.h>

#include "replay/dispatch.h"
#include "replay/runlog.h"
#include "replay/tally.h"

struct pool_opts {
	int64_t epoch_ns;            /* of the trace */
	size_t threads;              /* event loops; 1: the caller's own */
	bool verbose;                /* a line on stderr per ended request */

	void *arg;
	/* Request i has ended; last is valid during the call.  Must not send from inside. */
	void (*on_ended)(void *arg, size_t i, const struct rec_response *last);
	/* The trace could not be written: the pool's err says why.  Called once. */
	void (*on_failed)(void *arg);
};

struct pool;

/* Everything is borrowed for the pool's life; errors of callbacks go into e.  NULL: e says why. */
struct pool *pool_create(struct event_base *base, const struct runlog *log,
			 const struct pool_opts *o, struct tally *tally, struct err *e);
/* Cancels what is still in flight. */
void pool_free(struct pool *p);

/* Sees to it that n connections were opened in all, before they are needed. */
void pool_preconnect(struct pool *p, size_t n);

size_t pool_in_flight(const struct pool *p);

/*
 * Sends a request of the plan and writes its record.  0 also if it could not be started
 * (it has then ended with an error); -1: the run cannot go on.
 */
int pool_send(struct pool *p, const struct dispatched *what);

/* Writes that a request was due but is never sent: it counts as cancelled.  0 or -1. */
int pool_never_send(struct pool *p, const struct dispatched *what, const char *why);

/* Ends all that is in flight as cancelled; their records are written. */
void pool_cancel_all(struct pool *p, const char *why);

/* Fills the client's health since the last call. */
void pool_health(struct pool *p, struct rec_client *out);

#endif
