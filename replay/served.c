#include <config.h>

#include "replay/served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "replay/chunk.h"
#include "replay/pages.h"
#include "replay/recordings.h"

enum { PARTS_MAX = 64 };

/* A recorded timeout is silent so much longer than recorded, then cut. */
static const int64_t silence_ns = 60 * NS_PER_S;

struct served {
	struct event_base *base;
	const struct trace_data *trace;
	struct recordings recordings;
	bool by_order;
	double speed;
	char model[256];
	int64_t running, tokens;
};

/* One answer under way. */
struct serving {
	struct served *s;
	struct httpd_call *c;
	const struct exchange *x;
	struct event *timer;
	bool started;             /* the head is out */
	bool stream;              /* else the body goes out in one piece */
	int64_t base_ns;          /* the recording's time that is the request's arrival */
	struct events_iter it;
	struct event next;
	bool has_next;
	struct buf out;
};

static void serving_free(struct serving *v)
{
	v->s->running--;
	if (v->timer)
		event_free(v->timer);
	buf_release(&v->out);
	free(v);
}

/* CLOCK_MONOTONIC of something that the recording has at t_ns. */
static int64_t deadline(const struct serving *v, int64_t t_ns)
{
	double d = (double)(t_ns - v->base_ns) / v->s->speed;

	return d > 0 ? v->c->begin_ns + (int64_t)d : v->c->begin_ns;
}

static int64_t begin_of(const struct exchange *x)
{
	if (x->req.sent_ns != NS_NONE)
		return x->req.sent_ns;
	if (x->req.queued_ns != NS_NONE)
		return x->req.queued_ns;
	if (x->res.headers_ns != NS_NONE)
		return x->res.headers_ns;
	return x->res.events.n ? x->res.events.t_ns[0] : 0;
}

static int64_t last_event_ns(const struct exchange *x)
{
	size_t n = x->res.events.n;

	return n ? x->res.events.t_ns[n - 1] : begin_of(x);
}

static int64_t end_of(const struct exchange *x)
{
	int64_t last = last_event_ns(x), end = x->res.end_ns;

	if (x->res.status == ST_TIMEOUT)
		return (end == NS_NONE || end < last ? last : end) + silence_ns;
	return end == NS_NONE || end < last ? last : end;
}

/* When the head went out, or the whole answer if that comes in one piece. */
static int64_t start_of(const struct serving *v)
{
	const struct rec_response *r = &v->x->res;

	if (!v->stream)
		return r->events.n && r->status == ST_OK ? last_event_ns(v->x) : end_of(v->x);
	if (r->headers_ns != NS_NONE)
		return r->headers_ns;
	return v->has_next ? v->next.t_ns : end_of(v->x);
}

/* True if the recording ended by a connection that was closed before its time. */
static bool was_cut(const struct rec_response *r)
{
	if (r->status == ST_OK)
		return false;
	if (r->status != ST_ERROR)
		return true;
	return r->http_status <= 0 || str_is(r->error_kind, "reset");
}

static struct chunk_head head_of(const struct serving *v)
{
	const struct rec_response *r = &v->x->res;

	return (struct chunk_head){
		.api = v->c->api,
		.id = r->response_id.p ? r->response_id : str_of("cmpl-tokserve"),
		.model = r->model.p ? r->model : v->x->req.model.p ? v->x->req.model :
			 str_of(v->s->model),
		.created_s = v->s->trace->segments[v->x->segment].header.epoch_wall_ns / NS_PER_S,
		.reasoning_key = r->reasoning_key,
		.usage = r->usage,
	};
}

static void step_event(struct serving *v)
{
	v->has_next = events_next(&v->x->res.events, &v->it, &v->next);
}

/* Appends the next wire event with all of its parts. */
static void put_wire_event(struct serving *v)
{
	struct chunk_head h = head_of(v);
	struct event parts[PARTS_MAX];
	size_t n = 0;

	do {
		v->s->tokens += v->next.cls == EV_CONTENT || v->next.cls == EV_REASONING;
		parts[n++] = v->next;
		step_event(v);
	} while (v->has_next && v->next.flags & EVF_PART && n < PARTS_MAX);
	chunk_sse(&v->out, &h, parts, n);
}

/* Sends all that one read returned when it was recorded. */
static void send_group(struct serving *v)
{
	buf_clear(&v->out);
	do
		put_wire_event(v);
	while (v->has_next && v->next.flags & EVF_COALESCED);
	httpd_send(v->c, buf_str(&v->out));
}

static int status_of(const struct rec_response *r)
{
	return r->http_status > 0 ? (int)r->http_status : 200;
}

static void reply_raw(struct serving *v)
{
	const struct rec_response *r = &v->x->res;
	char type[128] = "application/json";

	if (r->content_type.n && r->content_type.n < sizeof(type)) {
		memcpy(type, r->content_type.p, r->content_type.n);
		type[r->content_type.n] = '\0';
	}
	httpd_reply(v->c, status_of(r), type, r->raw.p ? r->raw : str_of(""));
}

static void reply_whole(struct serving *v)
{
	struct chunk_head h = head_of(v);

	buf_clear(&v->out);
	if (chunk_whole(&v->out, &h, &v->x->res.events) < 0)
		httpd_error(v->c, 500, "InternalServerError", "out of memory");
	else
		httpd_reply(v->c, 200, "application/json", buf_str(&v->out));
}

static void finish(struct serving *v)
{
	const struct rec_response *r = &v->x->res;

	if (was_cut(r))
		httpd_cut(v->c);
	else if (v->started)
		httpd_end(v->c);
	else if (r->raw.p || status_of(r) != 200)
		reply_raw(v);
	else
		reply_whole(v);
	serving_free(v);
}

static void sleep_until(struct serving *v, int64_t deadline_ns, int64_t now_ns)
{
	int64_t wait_ns = deadline_ns - now_ns + NS_PER_US - 1;
	struct timeval tv = { wait_ns / NS_PER_S, wait_ns % NS_PER_S / NS_PER_US };

	event_add(v->timer, &tv);
}

/* Does all that is due, then sleeps until the next deadline. */
static void go_on(struct serving *v)
{
	for (;;) {
		int64_t now_ns = clock_mono_ns(), due_ns;

		if (v->stream && !v->started)
			due_ns = deadline(v, start_of(v));
		else if (v->stream && v->has_next)
			due_ns = deadline(v, v->next.t_ns);
		else
			due_ns = deadline(v, v->stream ? end_of(v->x) : start_of(v));
		if (due_ns > now_ns) {
			sleep_until(v, due_ns, now_ns);
			return;
		}
		if (v->stream && !v->started) {
			httpd_start(v->c, 200, "text/event-stream; charset=utf-8");
			v->started = true;
		} else if (v->stream && v->has_next) {
			send_group(v);
		} else {
			finish(v);
			return;
		}
	}
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	go_on(arg);
}

/* The same body asks the same; of another one, what it says about streaming counts. */
static bool wants_stream(const struct httpd_call *c, const struct exchange *x, bool same)
{
	struct api_request q;
	struct err e;
	bool stream;

	if (same || api_request_parse(c->api, c->body, &q, &e) < 0)
		return x->req.stream;
	stream = q.stream;
	api_request_release(&q);
	return stream;
}

static struct serving *serving_create(struct served *s, struct httpd_call *c)
{
	const struct exchange *x = s->by_order ? NULL :
				   recordings_by_digest(&s->recordings, c->digest);
	struct serving *v = calloc(1, sizeof(*v));
	bool same = x != NULL;

	if (!v)
		return NULL;
	v->s = s;
	s->running++;
	v->c = c;
	v->x = x ? x : recordings_by_order(&s->recordings);
	v->timer = event_new(s->base, -1, 0, on_timer, v);
	buf_init(&v->out, 1 << 28);
	v->base_ns = begin_of(v->x);
	v->stream = wants_stream(c, v->x, same) && !v->x->res.raw.p && v->x->res.http_status == 200;
	step_event(v);
	return v;
}

static void on_call(void *arg, struct httpd_call *c)
{
	struct serving *v = serving_create(arg, c);

	if (!v || !v->timer) {
		if (v)
			serving_free(v);
		httpd_error(c, 500, "InternalServerError", "out of memory");
		return;
	}
	c->state = v;
	go_on(v);
}

static void on_gone(void *arg, struct httpd_call *c)
{
	(void)arg;
	if (c->state)
		serving_free(c->state);
}

static void on_metrics(void *arg, struct buf *out)
{
	const struct served *s = arg;
	struct buf label;

	buf_init(&label, 4096);
	buf_adds(&label, "model_name=");
	chunk_string(&label, str_of(s->model));
	pages_metric(out, "vllm:num_requests_running", "gauge", "Answers under way.",
		     buf_cstr(&label), (double)s->running);
	pages_metric(out, "vllm:num_requests_waiting", "gauge", "None ever waits.",
		     buf_cstr(&label), 0);
	pages_metric(out, "vllm:generation_tokens_total", "counter", "Text events given back.",
		     buf_cstr(&label), (double)s->tokens);
	buf_release(&label);
}

static void name_model(struct served *s, const char *model)
{
	for (size_t i = 0; !model && i < s->recordings.n; i++) {
		const struct exchange *x = s->recordings.by_order[i].x;
		struct str m = x->res.model.p ? x->res.model : x->req.model;

		if (m.n) {
			snprintf(s->model, sizeof(s->model), "%.*s", (int)m.n, m.p);
			return;
		}
	}
	snprintf(s->model, sizeof(s->model), "%s", model ? model : "trace");
}

static bool lacks_text(const struct trace_data *t)
{
	for (size_t i = 0; i < t->n_segments; i++) {
		if (t->segments[i].header.no_text)
			return true;
	}
	return false;
}

struct served *served_create(struct event_base *base, const struct served_opts *o, struct err *e)
{
	struct served *s = calloc(1, sizeof(*s));

	if (!s || recordings_init(&s->recordings, o->trace) < 0) {
		err_set(e, "out of memory");
		free(s);
		return NULL;
	}
	s->base = base;
	s->trace = o->trace;
	s->by_order = o->by_order;
	s->speed = o->speed;
	name_model(s, o->model);
	if (s->recordings.n && !lacks_text(o->trace))
		return s;
	if (s->recordings.n)
		err_set(e, "written with --no-text, so there is nothing to give back; record with "
			   "texts, or simulate an engine with --profile FILE");
	else
		err_set(e, "no response in it to give back (%zu requests); simulate an engine "
			   "with --profile FILE instead", o->trace->n);
	served_free(s);
	return NULL;
}

void served_free(struct served *s)
{
	if (!s)
		return;
	recordings_release(&s->recordings);
	free(s);
}

void served_backend(struct served *s, struct httpd_backend *out)
{
	*out = (struct httpd_backend){
		.arg = s, .model = s->model, .max_model_len = COUNT_NONE,
		.call = on_call, .gone = on_gone, .metrics = on_metrics,
	};
}
