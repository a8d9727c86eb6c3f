#include <config.h>

#include "formats/convert/dump.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/convert/json.h"
#include "formats/trace/reader.h"

/* A body may be 64 MiB, and a control byte in it takes six. */
enum { LINE_BYTES_MAX = 512 << 20 };

static void dump_kvs(struct json *j, const char *key, struct kvs k)
{
	if (k.n == 0)
		return;
	json_open(j, key, '{');
	for (size_t i = 0; i < k.n; i++)
		json_pair(j, k.v[i].key, k.v[i].value);
	json_close(j, '}');
}

static void dump_header(struct json *j, const struct rec_header *h)
{
	json_text(j, "format", str_of("toktrace"));
	json_count(j, "version", h->version);
	json_count(j, "minor", h->minor);
	json_ns(j, "epoch_wall_ns", h->epoch_wall_ns);
	json_ns(j, "epoch_mono_ns", h->epoch_mono_ns);
	json_text(j, "tool", h->tool);
	json_text(j, "tool_version", h->tool_version);
	json_open(j, "argv", '[');
	for (size_t i = 0; i < h->argv.n; i++)
		json_item_text(j, h->argv.v[i].value);
	json_close(j, ']');
	dump_kvs(j, "host", h->host);
	dump_kvs(j, "target", h->target);
	dump_kvs(j, "config", h->config);
	dump_kvs(j, "run", h->run);
	json_text(j, "source_digest", h->source_digest);
	json_text(j, "plan_digest", h->plan_digest);
	if (h->no_text)
		json_bool(j, "no_text", true);
}

static void dump_phase(struct json *j, const struct rec_phase *p)
{
	json_count(j, "id", p->id);
	json_text(j, "phase_kind", str_of(phase_kind_name(p->kind)));
	json_count(j, "concurrency", p->concurrency);
	json_num(j, "rate_hz", p->rate_hz);
	json_count(j, "round", p->round);
	json_text(j, "layer", p->layer);
	json_text(j, "timing", p->timing);
	json_ns(j, "begin_ns", p->begin_ns);
	json_ns(j, "end_ns", p->end_ns);
	json_text(j, "verdict", p->verdict);
}

static void dump_blocks(struct json *j, const struct rec_request *q)
{
	if (q->n_blocks == 0)
		return;
	json_open(j, "blocks", '[');
	for (size_t i = 0; i < q->n_blocks; i++)
		json_item_u64(j, q->blocks[i]);
	json_close(j, ']');
}

static void dump_request(struct json *j, const struct rec_request *q)
{
	json_count(j, "id", q->id);
	json_count(j, "phase", q->phase);
	json_count(j, "source_id", q->source_id);
	json_text(j, "session", q->session);
	json_count(j, "turn", q->turn);
	json_count(j, "parent", q->parent);
	if (q->inferred)
		json_bool(j, "inferred", true);
	if (q->live)
		json_bool(j, "live", true);
	json_ns(j, "scheduled_ns", q->scheduled_ns);
	json_ns(j, "queued_ns", q->queued_ns);
	json_ns(j, "sent_ns", q->sent_ns);
	json_count(j, "lane", q->lane);
	json_text(j, "upstream", q->upstream);
	json_text(j, "method", q->method);
	json_text(j, "endpoint", q->endpoint);
	json_text(j, "api", q->api);
	json_text(j, "model", q->model);
	json_bool(j, "stream", q->stream);
	json_count(j, "choices", q->choices);
	dump_kvs(j, "headers", q->headers);
	json_bytes(j, "body", q->body);
	json_text(j, "body_digest", q->body_digest);
	json_count(j, "body_len", q->body_len);
	if (q->redacted)
		json_bool(j, "redacted", true);
	json_count(j, "prompt_bytes", q->prompt_bytes);
	json_count(j, "input_tokens", q->input_tokens);
	json_count(j, "output_tokens", q->output_tokens);
	json_count(j, "max_tokens", q->max_tokens);
	json_count(j, "block_tokens", q->block_tokens);
	dump_blocks(j, q);
}

static void dump_event(struct json *j, const struct event *ev)
{
	json_open(j, NULL, '{');
	json_ns(j, "t_ns", ev->t_ns);
	json_text(j, "class", str_of(event_class_name(ev->cls)));
	json_count(j, "choice", ev->choice);
	json_open(j, "flags", '[');
	if (ev->flags & EVF_COALESCED)
		json_item_text(j, str_of("coalesced"));
	if (ev->flags & EVF_PART)
		json_item_text(j, str_of("part"));
	if (ev->flags & EVF_CHOICES)
		json_item_text(j, str_of("choices"));
	json_close(j, ']');
	json_count(j, "cum_tokens", ev->cum_tokens);
	if (ev->text.p)
		json_text(j, "text", ev->text);
	else if (ev->text_len)
		json_count(j, "text_len", (int64_t)ev->text_len);
	json_close(j, '}');
}

static void dump_events(struct json *j, const struct events *events)
{
	struct events_iter it = { 0 };
	struct event ev;

	json_open(j, "events", '[');
	while (events_next(events, &it, &ev))
		dump_event(j, &ev);
	json_close(j, ']');
}

static void dump_usage(struct json *j, const struct usage *u)
{
	json_count(j, "prompt_tokens", u->prompt);
	json_count(j, "completion_tokens", u->completion);
	json_count(j, "total_tokens", u->total);
	json_count(j, "reasoning_tokens", u->reasoning);
	json_count(j, "cached_tokens", u->cached);
}

static void dump_outcome(struct json *j, const struct rec_response *s)
{
	json_ns(j, "connect_ns", s->connect_ns);
	json_ns(j, "written_ns", s->written_ns);
	json_ns(j, "headers_ns", s->headers_ns);
	json_ns(j, "first_byte_ns", s->first_byte_ns);
	json_ns(j, "end_ns", s->end_ns);
	json_count(j, "http_status", s->http_status);
	if (s->status != ST_NONE)
		json_text(j, "status", str_of(status_name(s->status)));
	json_text(j, "error_kind", s->error_kind);
	json_text(j, "error_text", s->error_text);
	json_text(j, "finish_reason", s->finish_reason);
	json_bool(j, "done_marker", s->done_marker);
	json_bool(j, "reused_connection", s->reused_connection);
	json_bool(j, "retried", s->retried);
	json_text(j, "http_version", s->http_version);
	dump_usage(j, &s->usage);
	json_text(j, "model", s->model);
	json_text(j, "response_id", s->response_id);
	json_text(j, "content_type", s->content_type);
	json_text(j, "reasoning_key", s->reasoning_key);
	json_count(j, "body_bytes", s->body_bytes);
	json_bytes(j, "raw", s->raw);
	if (s->redacted)
		json_bool(j, "redacted", true);
}

static void dump_response(struct json *j, const struct rec_response *s)
{
	json_count(j, "id", s->id);
	json_count(j, "part", s->part);
	json_bool(j, "last", s->last);
	dump_events(j, &s->events);
	if (s->last)
		dump_outcome(j, s);
}

static void dump_sample(struct json *j, const struct rec_sample *m)
{
	json_ns(j, "t_ns", m->t_ns);
	json_text(j, "source", m->source);
	json_open(j, "values", '{');
	for (size_t i = 0; i < m->n; i++)
		json_pair_num(j, m->v[i].name, m->v[i].value);
	json_close(j, '}');
}

static void dump_client(struct json *j, const struct rec_client *c)
{
	json_ns(j, "t_ns", c->t_ns);
	json_ns(j, "loop_lag_max_ns", c->loop_lag_max_ns);
	json_ns(j, "send_lag_max_ns", c->send_lag_max_ns);
	json_count(j, "events", c->events);
	json_count(j, "coalesced", c->coalesced);
	json_num(j, "cpu_share", c->cpu_share);
}

static void dump_end(struct json *j, const struct rec_end *n)
{
	json_ns(j, "t_ns", n->t_ns);
	json_count(j, "requests", n->requests);
	json_count(j, "responses", n->responses);
	json_count(j, "events", n->events);
	json_count(j, "dropped", n->dropped);
	json_bool(j, "interrupted", n->interrupted);
}

int dump_record(const struct record *r, struct buf *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_text(&j, "kind", str_of(rec_kind_name(r->kind)));
	switch (r->kind) {
	case REC_HEADER: dump_header(&j, &r->u.header); break;
	case REC_PHASE: dump_phase(&j, &r->u.phase); break;
	case REC_REQUEST: dump_request(&j, &r->u.request); break;
	case REC_RESPONSE: dump_response(&j, &r->u.response); break;
	case REC_SAMPLE: dump_sample(&j, &r->u.sample); break;
	case REC_CLIENT: dump_client(&j, &r->u.client); break;
	case REC_END: dump_end(&j, &r->u.end); break;
	default: break;
	}
	json_close(&j, '}');
	return j.failed || buf_adds(out, "\n") < 0 ? -1 : 0;
}

static int put_line(const struct record *r, int64_t number, const char *path,
		    struct buf *line, FILE *out, struct err *e)
{
	buf_clear(line);
	if (dump_record(r, line) < 0)
		return err_set(e, "%s: record %" PRId64 " is too large to print", path,
			       number);
	errno = 0;
	if (fwrite(line->p, 1, line->n, out) != line->n)
		return err_set(e, "stdout: cannot write: %s", strerror(errno));
	return 0;
}

int dump_trace(const char *path, FILE *out, struct err *e)
{
	struct trace_reader *t;
	struct record r;
	struct buf line;
	int rc;

	if (trace_reader_open(path, &t, e) < 0)
		return -1;
	buf_init(&line, LINE_BYTES_MAX);
	while ((rc = trace_next(t, &r, e)) > 0) {
		rc = put_line(&r, trace_reader_records(t), path, &line, out, e);
		if (rc < 0)
			break;
	}
	buf_release(&line);
	trace_reader_close(t);
	return rc;
}
