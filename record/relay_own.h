/*
 * One relay, as its files see it: relay.c (its life), downstream.c (towards the client),
 * upstream.c (towards the engine), keep.c (what of it is recorded).
 */
#ifndef RECORD_RELAY_OWN_H
#define RECORD_RELAY_OWN_H

#include "formats/base/arena.h"
#include "record/headers.h"
#include "record/relay.h"

struct relay {
	struct relay_world *w;
	struct relay *next, *prev;
	struct evhttp_request *req;   /* NULL: the client is gone or was answered */
	struct capture *capture;
	struct arena store;           /* headers, URL */
	struct buf body;
	const struct engine *engine;  /* that it goes to */
	const char *method, *uri;     /* of the client's request; without host and the engine's prefix */
	const char *headers[HEADERS_PASSED_MAX + 4];
	struct kv recorded[HEADERS_PASSED_MAX];
	size_t n_headers, n_recorded;
	bool has_body;                /* the client announced one, if only of no bytes */
	enum api_kind api;
	struct stats_exchange seen;
	int64_t id;                   /* of its records; -1: passed on, not recorded */
	struct kept kept;             /* what of it is recorded */
	bool started, paused;         /* the answer's head went out; the engine is held back */
	struct event *cut;            /* waits for the last bytes before the connection is cut */
	int cut_polls;
};

/* Takes it out of the world and frees it. */
void relay_forget(struct relay *r);

#endif
