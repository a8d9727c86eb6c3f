#include <config.h>

#include "record/upstream.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <string.h>
#include <strings.h>

#include "formats/base/secret.h"
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

	if (r->n_headers >= HEADERS_PASSED_MAX)
		return;
	buf_init(&line, 1 << 20);
	/* libcurl sends a header without a value only if it is written with a semicolon. */
	if (*value)
		buf_printf(&line, "%s: %s", name, value);
	else
		buf_printf(&line, "%s;", name);
	r->headers[r->n_headers++] = arena_str(&r->store, buf_str(&line)).p;
	buf_release(&line);
}

static void pass_headers(struct relay *r)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(r->req);
	const char *connection = evhttp_find_header(in, "Connection");
	struct evkeyval *h;

	for (h = in->tqh_first; h; h = h->next.tqe_next) {
		if (r->n_recorded < HEADERS_PASSED_MAX)
			r->recorded[r->n_recorded++] = header_recorded(&r->store, h->key, h->value);
		if (!header_is_hop(h->key, connection) && strcasecmp(h->key, "Host") != 0 &&
		    strcasecmp(h->key, "Content-Length") != 0 && strcasecmp(h->key, "Expect") != 0)
			pass_header(r, h->key, h->value);
	}
	/* What libcurl would add by itself, the client did not say. */
	if (!evhttp_find_header(in, "Accept"))
		r->headers[r->n_headers++] = "Accept:";
	if (!evhttp_find_header(in, "Content-Type"))
		r->headers[r->n_headers++] = "Content-Type:";
	r->headers[r->n_headers] = NULL;
}

static const char *url_of(struct relay *r, const char *uri)
{
	size_t n = strlen(r->w->upstream);
	struct buf url;
	const char *p;

	while (n && r->w->upstream[n - 1] == '/')
		n--;
	buf_init(&url, 1 << 20);
	buf_add(&url, r->w->upstream, n);
	/* An absolute-form target has its own host; only its path goes on. */
	if (uri[0] != '/') {
		const char *host = strstr(uri, "://"), *path = host ? strchr(host + 3, '/') : NULL;

		uri = path ? path : "/";
	}
	buf_adds(&url, uri);
	p = arena_str(&r->store, buf_str(&url)).p;
	buf_release(&url);
	return p;
}

static void say(const struct relay *r)
{
	struct buf line;

	buf_init(&line, 1 << 16);
	secret_scrub_url(str_of(r->uri), &line);
	warn("%s %s%s", r->method, buf_cstr(&line), r->id >= 0 ? "" : " (passed, not recorded)");
	buf_release(&line);
}

int upstream_start(struct relay *r, struct err *e)
{
	bool recorded = r->id >= 0;
	struct capture_request q = {
		.id = r->id, .method = r->method, .url = url_of(r, r->uri), .headers = r->headers,
		.body = buf_str(&r->body), .api = r->api, .raw_passthrough = true, .arg = r,
		.on_head = downstream_head, .on_bytes = downstream_bytes, .on_done = downstream_done,
		.on_record = recorded ? keep_response : NULL,
	};
	int64_t sent_ns;

	pass_headers(r);
	r->capture = capture_start(r->w->pool, &q, &sent_ns, e);
	if (!r->capture)
		return -1;
	if (recorded && keep_request(r, sent_ns))
		r->w->next_id++;
	if (r->w->verbose)
		say(r);
	return 0;
}
