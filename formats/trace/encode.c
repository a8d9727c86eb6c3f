#include <config.h>

#include "formats/trace/encode.h"

#include <math.h>

#include "formats/trace/pack.h"

static void pack_values(struct pack *p, const char *key, struct kvs k)
{
	if (k.n == 0)
		return;
	pack_key(p, key);
	msgpack_pack_array(&p->pk, k.n);
	for (size_t i = 0; i < k.n; i++)
		pack_text(&p->pk, k.v[i].value);
}

static void encode_header(struct pack *p, const struct rec_header *h)
{
	pack_word(p, "format", "toktrace");
	pack_int(p, "version", h->version);
	pack_int(p, "minor", h->minor);
	pack_ns(p, "epoch_wall_ns", h->epoch_wall_ns);
	pack_ns(p, "epoch_mono_ns", h->epoch_mono_ns);
	pack_str(p, "tool", h->tool);
	pack_str(p, "tool_version", h->tool_version);
	pack_values(p, "argv", h->argv);
	pack_kvs(p, "host", h->host);
	pack_kvs(p, "target", h->target);
	pack_kvs(p, "config", h->config);
	pack_kvs(p, "run", h->run);
	pack_str(p, "source_digest", h->source_digest);
	pack_str(p, "plan_digest", h->plan_digest);
	pack_bool(p, "no_text", h->no_text);
	pack_key(p, "event_classes");
	msgpack_pack_array(&p->pk, EV_CLASSES);
	for (int i = 0; i < EV_CLASSES; i++)
		pack_text(&p->pk, str_of(event_class_name((enum event_class)i)));
}

static void encode_phase(struct pack *p, const struct rec_phase *f)
{
	pack_int(p, "id", f->id);
	pack_word(p, "phase_kind", phase_kind_name(f->kind));
	pack_int(p, "concurrency", f->concurrency);
	pack_num(p, "rate_hz", f->rate_hz);
	pack_int(p, "round", f->round);
	pack_str(p, "layer", f->layer);
	pack_str(p, "timing", f->timing);
	pack_ns(p, "begin_ns", f->begin_ns);
	pack_ns(p, "end_ns", f->end_ns);
	pack_str(p, "verdict", f->verdict);
}

static void encode_request(struct pack *p, const struct rec_request *q)
{
	pack_int(p, "id", q->id);
	pack_int(p, "phase", q->phase);
	pack_int(p, "source_id", q->source_id);
	pack_str(p, "session", q->session);
	pack_int(p, "turn", q->turn);
	pack_int(p, "parent", q->parent);
	pack_bool(p, "inferred", q->inferred);
	pack_bool(p, "live", q->live);
	pack_ns(p, "scheduled_ns", q->scheduled_ns);
	pack_ns(p, "queued_ns", q->queued_ns);
	pack_ns(p, "sent_ns", q->sent_ns);
	pack_int(p, "lane", q->lane);
	pack_str(p, "upstream", q->upstream);
	pack_str(p, "method", q->method);
	pack_str(p, "endpoint", q->endpoint);
	pack_str(p, "api", q->api);
	pack_str(p, "model", q->model);
	pack_bool(p, "stream", q->stream);
	pack_int(p, "choices", q->choices);
	pack_kvs(p, "headers", q->headers);
	pack_str(p, "body", q->body);
	pack_str(p, "body_digest", q->body_digest);
	pack_int(p, "body_len", q->body_len);
	pack_bool(p, "redacted", q->redacted);
	pack_int(p, "prompt_bytes", q->prompt_bytes);
	pack_int(p, "input_tokens", q->input_tokens);
	pack_int(p, "output_tokens", q->output_tokens);
	pack_int(p, "max_tokens", q->max_tokens);
	pack_int(p, "block_tokens", q->block_tokens);
	if (q->n_blocks == 0)
		return;
	pack_key(p, "blocks");
	msgpack_pack_array(&p->pk, q->n_blocks);
	for (size_t i = 0; i < q->n_blocks; i++)
		msgpack_pack_uint64(&p->pk, q->blocks[i]);
}

static void pack_bytes_array(struct pack *p, const char *key, const uint8_t *v, size_t n)
{
	pack_key(p, key);
	msgpack_pack_array(&p->pk, n);
	for (size_t i = 0; i < n; i++)
		msgpack_pack_uint8(&p->pk, v[i]);
}

/* Arrays that hold nothing but the default (choice 0, count unknown) are left out. */
static void encode_optional_arrays(struct pack *p, const struct events *ev)
{
	bool choice = false, cum = false;

	for (size_t i = 0; i < ev->n; i++) {
		choice |= ev->choice[i] != 0;
		cum |= ev->cum_tokens[i] != COUNT_NONE;
	}
	if (choice) {
		pack_key(p, "choice");
		msgpack_pack_array(&p->pk, ev->n);
		for (size_t i = 0; i < ev->n; i++)
			msgpack_pack_int32(&p->pk, ev->choice[i]);
	}
	if (!cum)
		return;
	pack_key(p, "cum");
	msgpack_pack_array(&p->pk, ev->n);
	for (size_t i = 0; i < ev->n; i++) {
		if (ev->cum_tokens[i] == COUNT_NONE)
			msgpack_pack_nil(&p->pk);
		else
			msgpack_pack_int64(&p->pk, ev->cum_tokens[i]);
	}
}

static void encode_events(struct pack *p, const struct events *ev)
{
	if (ev->n == 0)
		return;
	pack_key(p, "dt");
	msgpack_pack_array(&p->pk, ev->n);
	for (size_t i = 0; i < ev->n; i++)
		msgpack_pack_int64(&p->pk, i ? ev->t_ns[i] - ev->t_ns[i - 1] : ev->t_ns[0]);
	pack_bytes_array(p, "cls", ev->cls, ev->n);
	pack_bytes_array(p, "flags", ev->flags, ev->n);
	encode_optional_arrays(p, ev);
	pack_key(p, "len");
	msgpack_pack_array(&p->pk, ev->n);
	for (size_t i = 0; i < ev->n; i++)
		msgpack_pack_uint32(&p->pk, ev->text_len[i]);
	if (ev->has_text)
		pack_str(p, "text", buf_str(&ev->text));
}

static void encode_usage(struct pack *p, const struct usage *u)
{
	pack_int(p, "prompt_tokens", u->prompt);
	pack_int(p, "completion_tokens", u->completion);
	pack_int(p, "total_tokens", u->total);
	pack_int(p, "reasoning_tokens", u->reasoning);
	pack_int(p, "cached_tokens", u->cached);
}

static void encode_response(struct pack *p, const struct rec_response *s)
{
	pack_int(p, "id", s->id);
	pack_int(p, "part", s->part);
	pack_bool(p, "last", s->last);
	encode_events(p, &s->events);
	if (!s->last)
		return;
	pack_ns(p, "connect_ns", s->connect_ns);
	pack_ns(p, "written_ns", s->written_ns);
	pack_ns(p, "headers_ns", s->headers_ns);
	pack_ns(p, "first_byte_ns", s->first_byte_ns);
	pack_ns(p, "end_ns", s->end_ns);
	pack_int(p, "http_status", s->http_status);
	if (s->status != ST_NONE)
		pack_word(p, "status", status_name(s->status));
	pack_str(p, "error_kind", s->error_kind);
	pack_str(p, "error_text", s->error_text);
	pack_str(p, "finish_reason", s->finish_reason);
	pack_bool(p, "done_marker", s->done_marker);
	pack_bool(p, "reused_connection", s->reused_connection);
	pack_bool(p, "retried", s->retried);
	pack_str(p, "http_version", s->http_version);
	encode_usage(p, &s->usage);
	pack_str(p, "model", s->model);
	pack_str(p, "response_id", s->response_id);
	pack_str(p, "content_type", s->content_type);
	pack_str(p, "reasoning_key", s->reasoning_key);
	pack_int(p, "body_bytes", s->body_bytes);
	pack_str(p, "raw", s->raw);
	pack_bool(p, "redacted", s->redacted);
}

/* A number that is none (Prometheus has NaN and +Inf) is unknown, and so left out. */
static void encode_sample(struct pack *p, const struct rec_sample *m)
{
	size_t known = 0;

	for (size_t i = 0; i < m->n; i++)
		known += isfinite(m->v[i].value);
	pack_ns(p, "t_ns", m->t_ns);
	pack_str(p, "source", m->source);
	pack_key(p, "values");
	msgpack_pack_map(&p->pk, known);
	for (size_t i = 0; i < m->n; i++) {
		if (!isfinite(m->v[i].value))
			continue;
		pack_text(&p->pk, m->v[i].name);
		msgpack_pack_double(&p->pk, m->v[i].value);
	}
}

static void encode_client(struct pack *p, const struct rec_client *c)
{
	pack_ns(p, "t_ns", c->t_ns);
	pack_ns(p, "loop_lag_max_ns", c->loop_lag_max_ns);
	pack_ns(p, "send_lag_max_ns", c->send_lag_max_ns);
	pack_int(p, "events", c->events);
	pack_int(p, "coalesced", c->coalesced);
	pack_num(p, "cpu_share", c->cpu_share);
}

static void encode_end(struct pack *p, const struct rec_end *n)
{
	pack_ns(p, "t_ns", n->t_ns);
	pack_int(p, "requests", n->requests);
	pack_int(p, "responses", n->responses);
	pack_int(p, "events", n->events);
	pack_int(p, "dropped", n->dropped);
	pack_bool(p, "interrupted", n->interrupted);
}

static void encode_body(struct pack *p, const struct record *r)
{
	pack_word(p, "kind", rec_kind_name(r->kind));
	switch (r->kind) {
	case REC_HEADER: encode_header(p, &r->u.header); break;
	case REC_PHASE: encode_phase(p, &r->u.phase); break;
	case REC_REQUEST: encode_request(p, &r->u.request); break;
	case REC_RESPONSE: encode_response(p, &r->u.response); break;
	case REC_SAMPLE: encode_sample(p, &r->u.sample); break;
	case REC_CLIENT: encode_client(p, &r->u.client); break;
	case REC_END: encode_end(p, &r->u.end); break;
	default: break;
	}
}

static int append(void *arg, const char *p, size_t n)
{
	return buf_add(arg, p, n);
}

int record_encode(const struct record *r, struct buf *out)
{
	struct pack p;
	msgpack_packer head;
	int rc;

	if (r->kind == REC_RESPONSE && r->u.response.events.n > TRACE_EVENTS_MAX)
		return -1;
	pack_init(&p);
	encode_body(&p, r);
	msgpack_packer_init(&head, out, append);
	rc = p.failed ? -1 : msgpack_pack_map(&head, p.pairs);
	if (rc == 0)
		rc = buf_add(out, p.body.data, p.body.size);
	pack_release(&p);
	return rc < 0 ? -1 : 0;
}
