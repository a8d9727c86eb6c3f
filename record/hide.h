/*
 * What must not stand in a trace is taken out of a record on its way to the recorder: all
 * text with --no-text, what rules lead to with --redact.
 */
#ifndef RECORD_HIDE_H
#define RECORD_HIDE_H

#include "formats/trace/record.h"
#include "formats/wire/api.h"
#include "record/redact.h"

struct hide;

/* The rules are borrowed; NULL: none.  NULL: out of memory. */
struct hide *hide_create(bool no_text, const struct redact *rules);
void hide_free(struct hide *h);

/* The client's URL as it may be told: without secrets, without text nearly without its query.  Appended to out. */
void hide_url(const struct hide *h, const char *url, struct buf *out);

/*
 * headers are q's, to be changed; body is empty and gets q's if it is changed.
 * Sets q->redacted.
 */
void hide_request(const struct hide *h, struct rec_request *q, struct kv *headers, struct buf *body);

/* What a changed response record borrows from. */
struct hidden {
	struct events events;
	struct buf raw, error;
};
/*
 * asked_redacted: something was redacted in the request, so that the engine's words about a
 * failure, which may quote it, are not kept.
 */
void hide_response(const struct hide *h, enum api_kind api, bool asked_redacted, struct rec_response *s,
		   struct hidden *store);
void hidden_release(struct hidden *store);

#endif
