#include <config.h>

#include "record/keep.h"

#include <stdlib.h>

#include "record/blocks.h"
#include "record/canon.h"
#include "record/headers.h"
#include "record/hide.h"
#include "record/relay_own.h"

struct keep {
	struct keep_opts o;
	struct recorder *rec;
	struct sessions *sessions;
	struct hide *hide;
	struct canon canon;   /* of the request at hand */
};

struct keep *keep_create(const struct keep_opts *o, struct recorder *rec, struct err *e)
{
	struct keep *k = calloc(1, sizeof(*k));
	struct sessions_opts so = {
		.salt = o->salt, .share = o->share, .max = SESSIONS_MAX,
		.hash_labels = o->no_text || redact_any(o->redact),
	};

	if (k) {
		k->o = *o;
		k->rec = rec;
		canon_init(&k->canon);
		k->sessions = sessions_create(&so);
		k->hide = hide_create(o->no_text, o->redact);
	}
	if (k && k->sessions && k->hide)
		return k;
	keep_free(k);
	err_set(e, "out of memory");
	return NULL;
}

void keep_free(struct keep *k)
{
	if (!k)
		return;
	sessions_free(k->sessions);
	hide_free(k->hide);
	canon_release(&k->canon);
	free(k);
}

void keep_url(const struct keep *k, const char *url, struct buf *out)
{
	hide_url(k->hide, url, out);
}

void keep_release(struct kept *x)
{
	if (x->begun)
		reply_release(&x->reply);
	x->begun = false;
}

/* True if the request is in the sample. */
static bool place(struct keep *k, struct relay *r, const struct api_request *ask, struct session *session)
{
	struct kept *x = &r->kept;
	struct session_ask sa = {
		.api = r->api, .model = ask->model, .canon = &k->canon, .id = r->id,
		.label = header_session((struct kvs){ r->recorded, r->n_recorded }),
	};

	sessions_ask(k->sessions, &sa, session);
	x->session = session->ref;
	x->recorded = session->kept;
	x->begun = reply_init(&x->reply) == 0;
	x->reply.roll = session->roll;
	return x->recorded;
}

static void fill_blocks(const struct keep *k, struct rec_request *q, uint64_t **ids)
{
	if (!k->o.no_text || !k->canon.whole)
		return;
	q->n_blocks = blocks_make(k->o.salt, q->model, buf_str(&k->canon.text), ids);
	q->blocks = *ids;
	if (q->n_blocks) {
		q->block_tokens = BLOCK_TOKENS;
		q->prompt_bytes = (int64_t)k->canon.text.n;
	}
}

static void fill_ask(struct rec_request *q, const struct api_request *ask)
{
	q->model = ask->model;
	q->stream = ask->stream;
	q->choices = ask->n;
	q->max_tokens = ask->max_tokens;
}

static void fill_session(struct rec_request *q, const struct session *s)
{
	if (!*s->label)
		return;
	q->session = str_of(s->label);
	q->turn = s->turn;
	q->parent = s->parent;
	q->inferred = s->inferred;
}

static void put_request(struct keep *k, struct relay *r, const struct api_request *ask,
			const struct session *session, int64_t sent_ns)
{
	struct record rec;
	struct rec_request *q = &rec.u.request;
	char digest[DIGEST_HEX + 1];
	struct buf endpoint, body;
	uint64_t *ids = NULL;

	buf_init(&endpoint, 1 << 16);
	buf_init(&body, SIZE_MAX);
	hide_url(k->hide, r->uri, &endpoint);
	digest_bytes(r->body.p, r->body.n, digest);
	record_init(&rec, REC_REQUEST);
	q->id = r->id;
	q->sent_ns = q->queued_ns = sent_ns;
	if (r->w->engines->n > 1)
		q->upstream = str_of(r->engine->shown);
	q->method = str_of(r->method);
	q->endpoint = buf_str(&endpoint);
	q->api = str_of(api_name(r->api));
	q->headers = (struct kvs){ r->recorded, r->n_recorded };
	q->body_digest = str_of(digest);
	q->body_len = (int64_t)r->body.n;
	q->body = buf_str(&r->body);
	if (ask)
		fill_ask(q, ask);
	fill_session(q, session);
	fill_blocks(k, q, &ids);
	hide_request(k->hide, q, r->recorded, &body);
	r->kept.redacted = q->redacted;
	recorder_put(k->rec, &rec);
	free(ids);
	buf_release(&endpoint);
	buf_release(&body);
}

bool keep_request(struct relay *r, int64_t sent_ns)
{
	struct keep *k = r->w->keep;
	struct api_request ask;
	struct session session;
	struct err ignored; /* a body that is no JSON is still recorded; the engine answers it */
	bool json = api_request_parse(r->api, buf_str(&r->body), &ask, &ignored) == 0;

	canon_read(&k->canon, r->api, buf_str(&r->body));
	if (place(k, r, &ask, &session))
		put_request(k, r, json ? &ask : NULL, &session, sent_ns);
	api_request_release(&ask);
	return r->kept.recorded;
}

/* Goes on from the answer's text, whoever may read it later. */
static void learn(struct keep *k, enum api_kind api, struct kept *x, const struct rec_response *s)
{
	struct events_iter it = { 0 };
	struct session_end end = { .reply = &x->reply, .response_id = s->response_id, .ok = s->status == ST_OK };
	struct event ev;

	if (!x->begun)
		return;
	while (events_next(&s->events, &it, &ev)) {
		if (ev.cls == EV_CONTENT && ev.choice == 0)
			reply_add(&x->reply, ev.text);
		if (ev.cls == EV_USAGE && api == API_OLLAMA_GENERATE)
			end.context = canon_context(ev.text);
	}
	if (!s->last)
		return;
	sessions_end(k->sessions, x->session, &end);
	keep_release(x);
}

void keep_response(void *arg, const struct rec_response *s)
{
	struct relay *r = arg;
	struct keep *k = r->w->keep;
	struct record rec = { .kind = REC_RESPONSE, .u.response = *s };
	struct hidden store;

	stats_events(r->w->stats, &r->seen, &s->events);
	learn(k, r->api, &r->kept, s);
	if (!r->kept.recorded)
		return;
	hide_response(k->hide, r->api, r->kept.redacted, &rec.u.response, &store);
	r->kept.answer_redacted |= rec.u.response.redacted;
	rec.u.response.redacted = r->kept.answer_redacted;
	recorder_put(k->rec, &rec);
	hidden_release(&store);
}
