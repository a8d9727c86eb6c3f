/*
 * The response of one exchange as it grows: body bytes -> events -> response records.
 * Knows nothing of libcurl; times come from the caller.
 */
#ifndef RECORD_RESPONSE_H
#define RECORD_RESPONSE_H

#include "record/gunzip.h"
#include "record/outcome.h"
#include "record/secrets.h"

enum { RESPONSE_RAW_MAX = 64 << 10, RESPONSE_JSON_MAX = 64 << 20, RESPONSE_EVENT_MAX = 16 << 20 };

struct response {
	struct rec_response rec;     /* times and counts are filled by the caller as they come */
	enum api_kind api_kind;
	enum body_kind body;
	struct api *api;
	struct gunzip *gunzip;
	struct secrets secrets;
	struct buf raw, json, content_type, error_text, error_kind;
	int64_t t_ns;                /* of the bytes being read */
	bool no_text, overflow;
	bool has_token;              /* text, thinking, a tool call or a refusal has come */
	int64_t n_events, n_coalesced;
};

/* 0, or -1: out of memory. */
int response_init(struct response *r, int64_t id, enum api_kind api, bool no_text);
void response_release(struct response *r);
/* The head is complete.  coding: Content-Encoding, or absent. */
void response_head(struct response *r, int64_t http_status, struct str content_type, struct str coding, int64_t t_ns);
/* Body bytes as received.  0, or -1: an event past its ceiling. */
int response_bytes(struct response *r, const char *p, size_t n, int64_t t_ns);
/* True once the protocol's end marker was seen. */
bool response_done(const struct response *r);
/* Events wait to be written. */
static inline bool response_has_part(const struct response *r)
{
	return r->rec.events.n > 0;
}
/* After rec was delivered as a part: forget its events, count it. */
void response_part_taken(struct response *r);
/* The end: fills the rest of rec (status, usage, strings borrowed from r) with .last set. */
void response_finish(struct response *r, enum transfer_end end, const char *transport_text, int64_t t_ns);

#endif
