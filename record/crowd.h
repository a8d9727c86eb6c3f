/*
 * More clients than can be served: streams over the number that was planned, and
 * connections over the limit on file descriptors.
 */
#ifndef RECORD_CROWD_H
#define RECORD_CROWD_H

#include <event2/event.h>
#include <event2/listener.h>

#include "record/refusal.h"

struct crowd {
	int64_t max_streams, last_fd; /* capacity.h */
	struct evconnlistener *listener; /* borrowed; NULL: none any more */
	struct event *tick;
	int64_t running;              /* streams now */
	int64_t warned_ns;            /* when the last warning was printed */
};

/*
 * From now on a descriptor that is missing at accept() makes new clients wait in the
 * kernel's queue until there is one, instead of spinning.  0, or -1: out of memory.
 */
int crowd_watch(struct crowd *c, struct event_base *base, struct evconnlistener *l);
void crowd_unwatch(struct crowd *c);

/* What a request on this descriptor is told; NULL: there is room for one more stream. */
const struct refusal *crowd_refusal(struct crowd *c, int fd);

#endif
