/* The direction from the engine to the client: head, bytes, end, and a client that leaves. */
#ifndef RECORD_DOWNSTREAM_H
#define RECORD_DOWNSTREAM_H

#include "record/refusal.h"
#include "record/relay_own.h"

struct bufferevent *downstream_bev(struct evhttp_request *req);

/* Answers in the proxy's own name, with an error object as OpenAI's API has it. */
void downstream_refuse(struct evhttp_request *req, const struct refusal *why);

/* From now on a client that leaves is seen at once, and what it sends ahead is bounded. */
void downstream_watch(struct relay *r);
void downstream_unwatch(struct evhttp_request *req);

/* Callbacks of a capture (capture.h); arg is the relay. */
void downstream_head(void *arg, long status, const char *reason, const char *const *lines, size_t n, int64_t t_ns);
bool downstream_bytes(void *arg, const char *p, size_t n, int64_t t_ns);
void downstream_done(void *arg, const struct rec_response *last, bool clean_end);

/* Cuts the connection now, whatever still waits, and forgets the relay. */
void downstream_abort(struct relay *r);

#endif
