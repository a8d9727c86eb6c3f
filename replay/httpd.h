/*
 * The HTTP server side of tokserve, on libevent's evhttp: listens, answers the small
 * pages by itself (/v1/models, /health, /version, /tokenize, /metrics), and hands each
 * inference request to a backend, which answers it at once or over time.
 *
 * Each serve_send() is one HTTP chunk in one send (TCP_NODELAY), unless the client reads
 * too slowly.  A client that leaves is seen at once, also before the first byte.
 */
#ifndef REPLAY_HTTPD_H
#define REPLAY_HTTPD_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/buf.h"
#include "formats/base/digest.h"
#include "formats/base/err.h"
#include "formats/wire/api.h"

struct httpd;
struct evhttp_request;

/* One inference request until its answer has ended. */
struct httpd_call {
	enum api_kind api;
	struct str body;          /* exact bytes; last as long as the call */
	char digest[DIGEST_HEX + 1]; /* SHA-256 of them */
	int64_t arrive_ns;        /* CLOCK_MONOTONIC, the whole request was read */
	int64_t begin_ns;         /* when the client began it, as well as can be known: see accepted.h */
	void *state;              /* the backend's */
	/* private */
	struct httpd *httpd;
	struct evhttp_request *req;
};

struct httpd_backend {
	void *arg;
	const char *model;        /* for /v1/models and the metrics' label */
	int64_t max_model_len;    /* COUNT_NONE: unknown */
	void (*call)(void *arg, struct httpd_call *c);
	/* The client left: c is gone when this returns. */
	void (*gone)(void *arg, struct httpd_call *c);
	/* Appends lines of the Prometheus text format. */
	void (*metrics)(void *arg, struct buf *out);
};

struct httpd_opts {
	const char *listen;       /* "127.0.0.1:0", "[::1]:8000" */
	int64_t requests;         /* leave the loop after so many answers; COUNT_NONE: never */
	int64_t idle_ns;          /* ... or after so long without a request in flight; NS_NONE: never */
	FILE *digests;            /* a line with each request's digest, in order of arrival; or NULL */
	bool verbose;             /* a line on stderr per inference request */
};

/* The backend is borrowed.  NULL and err: the address is bad or in use. */
struct httpd *httpd_create(struct event_base *base, const struct httpd_opts *o,
			   const struct httpd_backend *b, struct err *e);
/* Cuts what is in flight (backend's gone() is called), closes, frees. */
void httpd_free(struct httpd *h);
/* "127.0.0.1:43211", as bound. */
const char *httpd_address(const struct httpd *h);
/* Answers that ended, clients that left. */
void httpd_counts(const struct httpd *h, int64_t *answered, int64_t *left);

/* The whole answer; ends the call. */
void httpd_reply(struct httpd_call *c, int status, const char *type, struct str body);
/* The same in the shape in which vLLM reports errors. */
void httpd_error(struct httpd_call *c, int status, const char *type, const char *message);
/* Head of a chunked answer; then any number of httpd_send(); then httpd_end() or httpd_cut(). */
void httpd_start(struct httpd_call *c, int status, const char *type);
void httpd_send(struct httpd_call *c, struct str bytes);
void httpd_end(struct httpd_call *c);
/* Closes the connection as it is: no zero chunk.  Bytes still unsent are tried once more. */
void httpd_cut(struct httpd_call *c);

#endif
