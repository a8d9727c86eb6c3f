#include <config.h>

#include "record/upstream.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <string.h>
#include <strings.h>

#include "record/downstream.h"
#include "record/headers.h"
#include "record/keep.h"

const char *upstream_method(struct evhttp_request *req)
{
	switch (evhttp_request_get_command(req)) {
	case EVHTTP_REQ_GET: return "GET";
	case EVHTTP_REQ_POST: return "POST";
	case EVHTTP_REQ_HEAD: return "HEAD";
	case EVHTTP_REQ_PUT: return "PUT";
	case EVHTTP_REQ_DELETE: return "DELETE";
	case EVHTTP_REQ_OPTIONS: return "OPTIONS";
	case EVHTTP_REQ_PATCH: return "PATCH";
	case EVHTTP_REQ_TRACE: return "TRACE";
	default: return "CONNECT";
	}
}

static void pass_header(struct relay *r, const char *name, const char *value)
{
	struct buf line;

	buf_init(&line, 1 << 20);
	/* libcurl sends a header without a value only if it is written with a semicolon. */
	if (*value)
		buf_printf(&line, "%s: %s", name, value);
	else
		buf_printf(&line, "%s;", name);
	r->headers[r->n_headers++] = arena_str(&r->store, buf_str(&line)).p;
	buf_release(&line);
}

/* What libcurl says by itself, of the body it has and of the engine's address. */
static bool is_curls(const char *name)
{
	return strcasecmp(name, "Host") == 0 || strcasecmp(name, "Content-Length") == 0 ||
	       strcasecmp(name, "Expect") == 0;
}

static void pass_headers(struct relay *r)
{
	const struct evkeyvalq *in = evhttp_request_get_input_headers(r->req);
	const struct evkeyval *h;
	struct buf hops;

	buf_init(&hops, 1 << 20);
	for (h = in->tqh_first; h; h = h->next.tqe_next)
		header_connection(&hops, h->key, h->value);
	for (h = in->tqh_first; h; h = h->next.tqe_next) {
		r->recorded[r->n_recorded++] = header_recorded(&r->store, h->key, h->value);
		if (!header_is_hop(h->key, buf_cstr(&hops)) && !is_curls(h->key))
			pass_header(r, h->key, h->value);
	}
	buf_release(&hops);
	/* What libcurl would add by itself, the client did not say. */
	if (!evhttp_find_header(in, "Accept"))
		r->headers[r->n_headers++] = "Accept:";
	if (!evhttp_find_header(in, "Content-Type"))
		r->headers[r->n_headers++] = "Content-Type:";
	r->headers[r->n_headers] = NULL;
	r->has_body = evhttp_find_header(in, "Content-Length") || evhttp_find_header(in, "Transfer-Encoding");
}

static void say(const struct relay *r)
{
	struct buf line;

	buf_init(&line, 1 << 16);
	keep_url(r->w->keep, r->uri, &line);
	if (r->w->engines->n > 1)
		buf_printf(&line, " -> %s", r->engine->shown);
	warn("%s %s%s", r->method, buf_cstr(&line), r->id >= 0 ? "" : " (passed, not recorded)");
	buf_release(&line);
}

int upstream_start(struct relay *r, struct err *e)
{
	bool recorded = r->id >= 0;
	struct capture_request q = {
		.id = r->id, .method = r->method, .url = r->engine->url, .unix_socket = r->engine->unix_socket,
		.target = engine_target(r->engine, r->uri, &r->store),
		.headers = r->headers, .body = buf_str(&r->body), .api = r->api, .raw_passthrough = true, .arg = r,
		.on_head = downstream_head, .on_bytes = downstream_bytes, .on_done = downstream_done,
		.on_record = recorded ? keep_response : NULL,
	};
	int64_t sent_ns;

	pass_headers(r);
	q.has_body = r->has_body;
	r->capture = capture_start(r->w->pool, &q, &sent_ns, e);
	if (!r->capture)
		return -1;
	if (recorded && keep_request(r, sent_ns))
		r->w->next_id++;
	stats_begin(r->w->stats, &r->seen, recorded ? api_name(r->api) : "other", r->kept.recorded, sent_ns,
		    (int64_t)r->body.n);
	if (r->w->verbose)
		say(r);
	return 0;
}
