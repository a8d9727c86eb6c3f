/* One client's request on its way to the engine and back.  Private to the proxy. */
#ifndef RECORD_RELAY_H
#define RECORD_RELAY_H

#include "record/capture.h"
#include "record/crowd.h"
#include "record/engines.h"
#include "record/keep.h"
#include "record/stats.h"

struct evhttp_request;

/* What all relays share. */
struct relay_world {
	struct event_base *base;
	struct capture_pool *pool;
	struct keep *keep;
	struct engines *engines;
	struct crowd crowd;
	int64_t epoch_ns, stop_after;
	bool verbose, draining; /* draining: each answer is its connection's last */
	int64_t told_ns;       /* when a failing upstream was last told of, 0: never */
	int64_t next_id;
	struct stats *stats;
	bool tls; /* clients speak TLS: what is written is not what goes over the socket */
	struct relay *all;
};

void relay_begin(struct relay_world *w, struct evhttp_request *req);
void relay_cancel_all(struct relay_world *w);
/* Marks the descriptors below n on which a request is being served. */
void relay_busy(const struct relay_world *w, bool *busy, size_t n);

#endif
