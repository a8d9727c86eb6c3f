/*
 * What of an exchange is kept in the trace: all, or lengths and hashes only, or what
 * redaction rules leave; and whether it is kept at all, where only a sample of the sessions is.
 */
#ifndef RECORD_KEEP_H
#define RECORD_KEEP_H

#include "record/recorder.h"
#include "record/redact.h"
#include "record/sessions.h"

struct relay;

struct keep_opts {
	bool no_text;
	struct mac *salt;             /* borrowed, as the rules are */
	const struct redact *redact;  /* NULL or empty: none */
	double share;                 /* of the sessions; 1: all */
};

struct keep;

/* The recorder is borrowed.  NULL and err: out of memory. */
struct keep *keep_create(const struct keep_opts *o, struct recorder *rec, struct err *e);
void keep_free(struct keep *k);

/* What is known of one exchange; zeroed at first. */
struct kept {
	bool begun;                   /* keep_request() was called */
	bool recorded;                /* its records are wanted */
	bool redacted;                /* its body could not be kept as it was */
	bool answer_redacted;         /* something of its answer could not */
	struct session_ref session;
	struct reply reply;
};

/*
 * Makes the record of the relay's request, which was sent at sent_ns from the epoch.  False:
 * it is not in the sample, and the id is free again.
 */
bool keep_request(struct relay *r, int64_t sent_ns);
/* A record of its response, part or last: capture.h's on_record; arg is the relay. */
void keep_response(void *arg, const struct rec_response *s);
void keep_release(struct kept *x);
/* The client's URL as it may be told.  Appended to out. */
void keep_url(const struct keep *k, const char *url, struct buf *out);

#endif
