/*
 * The recording reverse proxy: a server on libevent's evhttp whose every request is sent on
 * through a capture; bytes leave as they arrive, and what belongs to an inference endpoint
 * is written to the recorder.
 */
#ifndef RECORD_PROXY_H
#define RECORD_PROXY_H

#include <event2/event.h>

#include "record/capture.h"
#include "record/engines.h"
#include "record/keep.h"
#include "record/recorder.h"
#include "record/stats.h"

struct proxy;

struct proxy_opts {
	const char *listen;      /* "127.0.0.1:9000" */
	struct engines *engines; /* borrowed; at least one */
	const char *cert, *key;  /* PEM files of TLS towards the clients; NULL: none */
	int64_t max_body;        /* bytes of a request body; a larger one gets 413 */
	int64_t max_streams;     /* at once; more get 503 */
	int64_t fd_limit;        /* on file descriptors */
	int64_t epoch_ns;        /* CLOCK_MONOTONIC at the trace's epoch */
	int64_t stop_after;      /* recorded exchanges after which the loop is left; COUNT_NONE: never */
	struct keep_opts keep;   /* what is kept of it */
	bool verbose;
};

/* Pool and recorder are borrowed.  NULL and err: bad address, port in use, ... */
struct proxy *proxy_create(struct event_base *base, const struct proxy_opts *o, struct capture_pool *pool,
			   struct recorder *rec, struct err *e);
/* Only clients of this machine can connect. */
bool proxy_is_local(const struct proxy *p);
/* The address as bound, "127.0.0.1:43211". */
const char *proxy_address(const struct proxy *p);
const struct stats *proxy_stats(const struct proxy *p);
/*
 * Accepts nothing new and lets what runs end; to be called again and again until it says
 * true: no client is left.
 */
bool proxy_drain(struct proxy *p);
/* Cancels what runs, closes, frees. */
void proxy_free(struct proxy *p);

#endif
