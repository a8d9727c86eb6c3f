/*
 * What a request says, in libcurl's options, and what libcurl says of its end.  Private
 * to the capture.
 */
#ifndef RECORD_TRANSFER_H
#define RECORD_TRANSFER_H

#include <curl/curl.h>

#include "record/capture.h"
#include "record/outcome.h"

/* Called by curl; arg is what transfer_create() was given. */
struct transfer_calls {
	size_t (*on_header)(char *p, size_t size, size_t n, void *arg);
	size_t (*on_body)(char *p, size_t size, size_t n, void *arg);
	/* Just before the request is written, at each attempt.  CURL_PREREQFUNC_OK or _ABORT. */
	int (*on_ready)(void *arg, char *ip, char *local_ip, int port, int local_port);
	void *arg;
	char *error; /* CURL_ERROR_SIZE bytes */
};

/*
 * The handle of one exchange, not started; the request is borrowed as long as it lives.  *headers is the caller's
 * to free, behind the handle.  NULL: out of memory.
 */
CURL *transfer_create(const struct capture_request *r, const struct capture_opts *o,
		      const struct transfer_calls *calls, struct curl_slist **headers);

/* Facts of a transfer that has ended: connection, retry, protocol. */
struct transfer_facts {
	bool fresh;            /* a connection was opened */
	int64_t connected_ns;  /* from the transfer's start, TLS included; NS_NONE: unknown */
	const char *version;   /* static; NULL: HTTP/1.1 or unknown */
};
void transfer_facts_of(CURL *easy, struct transfer_facts *f);

/* A retry of curl's own must not try another connection that may be as stale. */
void transfer_want_fresh(CURL *easy);

/* head_done: a response head was complete before the end. */
enum transfer_end transfer_end_of(CURL *easy, CURLcode rc, bool head_done);

#endif
