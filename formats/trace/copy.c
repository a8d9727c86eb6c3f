#include <config.h>

#include "formats/trace/copy.h"

static void copy_kvs(struct arena *a, struct kvs *k)
{
	struct kv *v = k->n ? arena_alloc(a, k->n * sizeof(*v)) : NULL;

	if (!v)
		k->n = 0;
	for (size_t i = 0; i < k->n; i++)
		v[i] = (struct kv){ arena_str(a, k->v[i].key), arena_str(a, k->v[i].value) };
	k->v = v;
}

void copy_header(struct arena *a, struct rec_header *h)
{
	h->tool = arena_str(a, h->tool);
	h->tool_version = arena_str(a, h->tool_version);
	copy_kvs(a, &h->argv);
	copy_kvs(a, &h->host);
	copy_kvs(a, &h->target);
	copy_kvs(a, &h->config);
	copy_kvs(a, &h->run);
	h->source_digest = arena_str(a, h->source_digest);
	h->plan_digest = arena_str(a, h->plan_digest);
}

void copy_phase(struct arena *a, struct rec_phase *p)
{
	p->layer = arena_str(a, p->layer);
	p->timing = arena_str(a, p->timing);
	p->verdict = arena_str(a, p->verdict);
}

void copy_request(struct arena *a, struct rec_request *q)
{
	uint64_t *blocks = q->n_blocks ? arena_alloc(a, q->n_blocks * sizeof(*blocks)) : NULL;

	if (!blocks)
		q->n_blocks = 0;
	else
		memcpy(blocks, q->blocks, q->n_blocks * sizeof(*blocks));
	q->blocks = blocks;
	q->session = arena_str(a, q->session);
	q->method = arena_str(a, q->method);
	q->endpoint = arena_str(a, q->endpoint);
	q->api = arena_str(a, q->api);
	q->model = arena_str(a, q->model);
	copy_kvs(a, &q->headers);
	q->body = arena_str(a, q->body);
	q->body_digest = arena_str(a, q->body_digest);
}

void copy_response(struct arena *a, struct rec_response *s)
{
	s->error_kind = arena_str(a, s->error_kind);
	s->error_text = arena_str(a, s->error_text);
	s->finish_reason = arena_str(a, s->finish_reason);
	s->model = arena_str(a, s->model);
	s->response_id = arena_str(a, s->response_id);
	s->content_type = arena_str(a, s->content_type);
	s->reasoning_key = arena_str(a, s->reasoning_key);
	s->http_version = arena_str(a, s->http_version);
	s->raw = arena_str(a, s->raw);
}
