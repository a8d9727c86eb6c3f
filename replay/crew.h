/*
 * The exchanges of a run, in the caller's event loop or in several, a thread each.
 *
 * With one thread this is record/capture.h and nothing more.  With more, each thread has its
 * own loop, connections and timers, and does all that costs time there: reading, parsing.
 * What comes of it is handed to the caller's thread, in which every callback runs; so the
 * plan's order, the trace and the counts have one owner and need no lock.
 */
#ifndef REPLAY_CREW_H
#define REPLAY_CREW_H

#include "record/capture.h"

enum { CREW_THREADS_MAX = 256 };

struct crew;

/* base: the caller's loop.  o is copied, what it points to borrowed.  NULL: e says why. */
struct crew *crew_create(struct event_base *base, const struct capture_opts *o, size_t threads,
			 struct err *e);
/* Cancels what is in flight (callbacks are called), ends the threads, frees. */
void crew_free(struct crew *c);

/* An exchange; all that q borrows must last until on_done. */
struct crew_job {
	struct capture_request q; /* with on_record and on_done, and arg for all three */
	/* It has begun at sent_ns, or (why not NULL) it cannot be begun and nothing follows. */
	void (*on_started)(void *arg, int64_t sent_ns, const char *why);
	int64_t lane;             /* of one lane, one thread; COUNT_NONE: any */
};

/*
 * Begins it, in the order of the calls.  With one thread on_started() is called before this
 * returns.  0, or -1: out of memory, and nothing is called.
 */
int crew_start(struct crew *c, const struct crew_job *job);

/* All that is in flight ends as cancelled; its callbacks are called before this returns. */
void crew_cancel_all(struct crew *c, const char *why);

/* Opens n more connections, shared out by lane; waits for them. */
void crew_preconnect(struct crew *c, const char *url, size_t n);

/*
 * The health of all loops since the last call: the worst of each value, the sums of counts.
 * With several threads it is as they last told, about the time of the last call.
 */
void crew_health(struct crew *c, struct rec_client *out);

#endif
