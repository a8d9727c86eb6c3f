#include <config.h>

#include "record/relay.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <stdlib.h>

#include "record/downstream.h"
#include "record/upstream.h"

void relay_forget(struct relay *r)
{
	if (r->prev)
		r->prev->next = r->next;
	else
		r->w->all = r->next;
	if (r->next)
		r->next->prev = r->prev;
	r->w->crowd.running--;
	if (r->cut)
		event_free(r->cut);
	keep_release(&r->kept);
	arena_release(&r->store);
	buf_release(&r->body);
	free(r);
}

static int take_body(struct relay *r)
{
	struct evbuffer *in = evhttp_request_get_input_buffer(r->req);
	size_t n = evbuffer_get_length(in);

	buf_init(&r->body, n + 1);
	if (buf_reserve(&r->body, n + 1) < 0)
		return -1;
	evbuffer_remove(in, r->body.p, n);
	r->body.n = n;
	return 0;
}

static struct relay *new_relay(struct relay_world *w, struct evhttp_request *req, const struct engine *engine)
{
	struct relay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->w = w;
	r->req = req;
	r->next = w->all;
	if (r->next)
		r->next->prev = r;
	w->all = r;
	w->crowd.running++;
	r->engine = engine;
	r->uri = engine_path(engine, engines_path(evhttp_request_get_uri(req)), &r->store);
	r->method = upstream_method(req);
	/* Generation is asked for by POST; a GET of the same path is something else. */
	r->api = evhttp_request_get_command(req) == EVHTTP_REQ_POST
		? api_of_path(str_of(r->uri)) : API_NONE;
	r->id = r->api != API_NONE ? w->next_id : -1;
	return r;
}

/* NULL: it can be passed on, to *engine. */
static const struct refusal *refusal_now(struct relay_world *w, struct evhttp_request *req,
					 const struct engine **engine)
{
	static const struct refusal nowhere = { 404, "not_found", "tokrecord: no upstream is given for this path" };
	const struct refusal *why = refusal_of(req);

	if (!why)
		why = crowd_refusal(&w->crowd, bufferevent_getfd(downstream_bev(req)));
	if (why)
		return why;
	*engine = engines_choose(w->engines, engines_path(evhttp_request_get_uri(req)));
	return *engine ? NULL : &nowhere;
}

void relay_begin(struct relay_world *w, struct evhttp_request *req)
{
	static const struct refusal no_memory = { 500, "internal_error", "tokrecord: out of memory" };
	const struct engine *engine = NULL;
	const struct refusal *why = refusal_now(w, req, &engine);
	struct relay *r = why ? NULL : new_relay(w, req, engine);
	struct err e;

	if (!r) {
		downstream_refuse(req, why ? why : &no_memory);
		return;
	}
	downstream_watch(r);
	if (take_body(r) < 0 || upstream_start(r, &e) < 0) {
		downstream_unwatch(req);
		downstream_refuse(req, &no_memory);
		relay_forget(r);
	}
}

void relay_busy(const struct relay_world *w, bool *busy, size_t n)
{
	for (const struct relay *r = w->all; r; r = r->next) {
		int fd = r->req ? bufferevent_getfd(downstream_bev(r->req)) : -1;

		if (fd >= 0 && (size_t)fd < n)
			busy[fd] = true;
	}
}

void relay_cancel_all(struct relay_world *w)
{
	for (struct relay *r = w->all, *next; r; r = next) {
		next = r->next;
		if (r->capture)
			capture_cancel(r->capture, "tokrecord is ending");
	}
	while (w->all)
		downstream_abort(w->all);
}
