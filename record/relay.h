/* One client's request on its way to the engine and back.  Private to the proxy. */
#ifndef RECORD_RELAY_H
#define RECORD_RELAY_H

#include "record/capture.h"
#include "record/keep.h"

struct evhttp_request;

/* What all relays share. */
struct relay_world {
	struct event_base *base;
	struct capture_pool *pool;
	struct keep *keep;
	const char *upstream;
	int64_t epoch_ns, stop_after;
	bool verbose;
	int64_t next_id, recorded, passed; /* recorded, passed: exchanges that ended */
	int64_t unsampled;    /* of those passed, the ones that only the sample left out */
	struct relay *all;
};

void relay_begin(struct relay_world *w, struct evhttp_request *req);
void relay_cancel_all(struct relay_world *w);

#endif
