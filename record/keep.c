#include <config.h>

#include "record/keep.h"

#include "formats/base/digest.h"
#include "formats/base/secret.h"

void keep_request(struct relay *r, int64_t sent_ns)
{
	struct api_request ask;
	struct record rec;
	struct rec_request *q = &rec.u.request;
	char digest[DIGEST_HEX + 1];
	struct buf endpoint;
	struct err ignored; /* a body that is no JSON is still recorded; the engine answers it */

	buf_init(&endpoint, 1 << 16);
	secret_scrub_url(str_of(r->uri), &endpoint);
	digest_bytes(r->body.p, r->body.n, digest);
	record_init(&rec, REC_REQUEST);
	q->id = r->id;
	q->sent_ns = q->queued_ns = sent_ns;
	q->method = str_of(r->method);
	q->endpoint = buf_str(&endpoint);
	q->api = str_of(api_name(r->api));
	q->headers = (struct kvs){ r->recorded, r->n_recorded };
	q->body_digest = str_of(digest);
	q->body_len = (int64_t)r->body.n;
	if (!r->w->no_text)
		q->body = buf_str(&r->body);
	if (api_request_parse(buf_str(&r->body), &ask, &ignored) == 0) {
		q->model = ask.model;
		q->stream = ask.stream;
		q->choices = ask.n;
		q->max_tokens = ask.max_tokens;
	}
	recorder_put(r->w->rec, &rec);
	api_request_release(&ask);
	buf_release(&endpoint);
}

void keep_response(void *arg, const struct rec_response *s)
{
	struct relay *r = arg;
	struct record rec = { .kind = REC_RESPONSE, .u.response = *s };

	recorder_put(r->w->rec, &rec);
}
