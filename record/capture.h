/*
 * One timed exchange with an engine: an HTTP request through libcurl (multi socket
 * interface on the caller's libevent loop) whose response becomes events and records.
 * Times are taken when the read returned, before parsing (design.md section 4).
 * libcurl is used by capture.c, exchange.c, loop.c and transfer.c only.
 */
#ifndef RECORD_CAPTURE_H
#define RECORD_CAPTURE_H

#include <event2/event.h>

#include "formats/base/err.h"
#include "formats/trace/record.h"
#include "formats/wire/api.h"

/* One per event loop: the curl multi handle, its connections and its timers. */
struct capture_pool;

struct capture_opts {
	int64_t epoch_ns;          /* CLOCK_MONOTONIC at the segment's epoch: all times are relative to it */
	int64_t connect_timeout_ns, idle_timeout_ns, total_timeout_ns; /* 0: none; idle = no byte at all (comments re-arm it) */
	int64_t first_token_timeout_ns; /* 0: none; from t0 until text, thinking, a tool call or a refusal */
	bool http2;                /* https: by ALPN; http: by prior knowledge.  Else HTTP/1.1 */
	const char *cacert;        /* certificates to trust, a PEM file; NULL: the system's.  Borrowed */
	bool insecure;             /* trust any certificate */
	int64_t part_ns;           /* deliver response parts at least this often (500 ms) so that a crash keeps them */
	int64_t keep_idle_ns;      /* idle connections are closed so long after the last exchange; 0: never */
	size_t max_connections;    /* 0: no cap */
	bool no_text;              /* keep lengths only */
};

struct capture_pool *capture_pool_create(struct event_base *base, const struct capture_opts *o, struct err *e);
/* Ends what still runs as cancelled (their on_record and on_done are called), then frees. */
void capture_pool_free(struct capture_pool *p);
/*
 * Opens n connections for requests to come, so that their TTFT holds no opening; waits for
 * them, connect_timeout_ns at most.  Plain TCP only: a TLS handshake belongs to the request
 * that begins it, and a unix socket opens in no time.  Returns how many it got.
 */
size_t capture_pool_preconnect(struct capture_pool *p, const char *url, size_t n);
/* All that is in flight; callbacks as for capture_cancel(). */
void capture_pool_cancel_all(struct capture_pool *p, const char *why);
/* The pool's own health since the last call. */
void capture_pool_health(struct capture_pool *p, struct rec_client *out);

/* What the caller gives; borrowed until the exchange is done. */
struct capture_request {
	int64_t id;                /* goes into the response records */
	const char *method, *url;  /* whole URL */
	const char *unix_socket;   /* or NULL */
	const char *const *headers; /* "Name: value", NULL-terminated; secrets allowed, they never reach a record */
	const char *target;        /* stands in the request line, exactly as given; NULL: what the URL says */
	struct str body;
	bool has_body;             /* one of no bytes is announced too, with Content-Length: 0 */
	enum api_kind api;
	bool raw_passthrough;      /* proxy: bytes are handed out as received (no content decoding towards on_bytes) */

	void *arg;
	/* Response head: status, reason phrase, raw header lines "Name: value" without CRLF; may be NULL. */
	void (*on_head)(void *arg, long http_status, const char *reason, const char *const *lines, size_t n,
			int64_t t_ns);
	/* Body bytes as received from the engine (de-chunked), for a proxy; may be NULL.  Return false to pause (capture_resume()). */
	bool (*on_bytes)(void *arg, const char *p, size_t n, int64_t t_ns);
	/* A response record, part or last; borrowed during the call. */
	void (*on_record)(void *arg, const struct rec_response *r);
	/* After the last record.  The capture is freed by the library after this returns. */
	void (*on_done)(void *arg, const struct rec_response *last, bool clean_end);
};

struct capture; /* one exchange in flight */

/* Starts at once; sent_ns is the t0 that belongs into the request record.  NULL and err on failure to start. */
struct capture *capture_start(struct capture_pool *p, const struct capture_request *r, int64_t *sent_ns, struct err *e);
/* The client left, or the run ends: the connection to the engine is closed; on_record(last, ST_CANCELLED) and on_done follow before it returns. */
void capture_cancel(struct capture *c, const char *why);
void capture_resume(struct capture *c);

#endif
