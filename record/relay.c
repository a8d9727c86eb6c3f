#include <config.h>

#include "record/relay.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#include "formats/base/digest.h"
#include "formats/base/secret.h"
#include "record/headers.h"

enum { PENDING_MAX = 1 << 20, PENDING_LOW = 1 << 18, HEADERS_PASSED_MAX = 512, CUT_POLL_MS = 5, CUT_POLLS = 200 };

struct relay {
	struct relay_world *w;
	struct relay *next, *prev;
	struct evhttp_request *req;   /* NULL: the client is gone or was answered */
	struct capture *capture;
	struct arena store;           /* headers, URL */
	struct buf body;
	const char *headers[HEADERS_PASSED_MAX + 4];
	struct kv recorded[HEADERS_PASSED_MAX];
	size_t n_headers, n_recorded;
	enum api_kind api;
	bool started, paused;         /* the answer's head went out; the engine is held back */
	struct event *cut;            /* waits for the last bytes before the connection is cut */
	int cut_polls;
};

static void forget(struct relay *r)
{
	if (r->prev)
		r->prev->next = r->next;
	else
		r->w->all = r->next;
	if (r->next)
		r->next->prev = r->prev;
	if (r->cut)
		event_free(r->cut);
	arena_release(&r->store);
	buf_release(&r->body);
	free(r);
}

static struct bufferevent *bev_of(struct evhttp_request *req)
{
	return evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
}

/* ---- towards the client ---- */

static void reply_error(struct evhttp_request *req, int status, const char *type, const char *text)
{
	struct evbuffer *b = evbuffer_new();

	evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type", "application/json");
	if (b)
		evbuffer_add_printf(b, "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"code\":%d}}\n", text, type, status);
	evhttp_send_reply(req, status, NULL, b);
	if (b)
		evbuffer_free(b);
}

static const char *value_of(const char *const *lines, size_t n, const char *name)
{
	size_t k = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (strncasecmp(lines[i], name, k) == 0 && lines[i][k] == ':')
			return lines[i] + k + 1 + strspn(lines[i] + k + 1, " \t");
	return NULL;
}

static void on_head(void *arg, long status, const char *const *lines, size_t n, int64_t t_ns)
{
	struct relay *r = arg;
	const char *connection = value_of(lines, n, "Connection");
	/* Where both are given, chunked is the framing and the length is void (RFC 9112, 6.3). */
	bool chunked = value_of(lines, n, "Transfer-Encoding") != NULL;

	(void)t_ns;
	if (!r->req)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *colon = strchr(lines[i], ':');
		char name[256];

		if (!colon || colon - lines[i] >= (ptrdiff_t)sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(colon - lines[i]), lines[i]);
		if (header_is_hop(name, connection) || (chunked && strcasecmp(name, "Content-Length") == 0))
			continue;
		evhttp_add_header(evhttp_request_get_output_headers(r->req), name, colon + 1 + strspn(colon + 1, " \t"));
	}
	r->started = true;
	evhttp_send_reply_start(r->req, (int)status, NULL);
}

/* The client took what was waiting: the engine may go on. */
static void on_drained(struct evhttp_connection *conn, void *arg)
{
	struct relay *r = arg;

	(void)conn;
	if (!r->paused || !r->req || !r->capture)
		return;
	if (evbuffer_get_length(bufferevent_get_output(bev_of(r->req))) > PENDING_LOW)
		return;
	r->paused = false;
	capture_resume(r->capture);
}

static bool on_bytes(void *arg, const char *p, size_t n, int64_t t_ns)
{
	struct relay *r = arg;
	struct evbuffer *b;

	(void)t_ns;
	if (!r->req || !r->started)
		return true;
	b = evbuffer_new();
	if (b) {
		evbuffer_add(b, p, n);
		evhttp_send_reply_chunk_with_cb(r->req, b, on_drained, r);
		evbuffer_free(b);
	}
	r->paused = evbuffer_get_length(bufferevent_get_output(bev_of(r->req))) > PENDING_MAX;
	return !r->paused;
}

/* Without the zero chunk the client knows that the answer is not whole. */
static void on_cut(evutil_socket_t fd, short what, void *arg)
{
	struct relay *r = arg;
	struct timeval tv = { 0, CUT_POLL_MS * 1000 };
	struct evhttp_connection *conn;

	(void)fd, (void)what;
	if (r->req && r->cut_polls++ < CUT_POLLS && evbuffer_get_length(bufferevent_get_output(bev_of(r->req)))) {
		evtimer_add(r->cut, &tv);
		return;
	}
	if (r->req) {
		conn = evhttp_request_get_connection(r->req);
		evhttp_connection_set_closecb(conn, NULL, NULL);
		evhttp_connection_free(conn);
	}
	forget(r);
}

static void cut_client(struct relay *r)
{
	struct timeval now = { 0, 0 };

	r->cut = evtimer_new(r->w->base, on_cut, r);
	if (r->cut)
		evtimer_add(r->cut, &now);
}

static void answer_failure(struct relay *r, const struct rec_response *last)
{
	bool timeout = last->status == ST_TIMEOUT;

	reply_error(r->req, timeout ? 504 : 502, timeout ? "gateway_timeout" : "bad_gateway",
		    timeout ? "tokrecord: the upstream did not answer in time"
			    : "tokrecord: cannot reach the upstream, or it left without an answer");
}

static void on_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct relay *r = arg;
	struct relay_world *w = r->w;

	r->capture = NULL;
	if (r->api != API_NONE)
		w->recorded++;
	else
		w->passed++;
	if (r->req && r->started && !clean_end) {
		cut_client(r);
	} else {
		if (r->req)
			evhttp_connection_set_closecb(evhttp_request_get_connection(r->req), NULL, NULL);
		if (r->req && r->started)
			evhttp_send_reply_end(r->req);
		else if (r->req)
			answer_failure(r, last);
		forget(r);
	}
	if (w->stop_after != COUNT_NONE && w->recorded >= w->stop_after)
		event_base_loopexit(w->base, &(struct timeval){ 0, 50000 });
}

static void on_record(void *arg, const struct rec_response *s)
{
	struct relay *r = arg;
	struct record rec = { .kind = REC_RESPONSE, .u.response = *s };

	recorder_put(r->w->rec, &rec);
}

/* The client left: the engine is told at once, before a token more is made. */
static void on_client_gone(struct evhttp_connection *conn, void *arg)
{
	struct relay *r = arg;
	struct evhttp_request *req = r->req;

	(void)conn;
	r->req = NULL;
	if (r->capture)
		capture_cancel(r->capture, "the client left");
	/* Being cut already: on_cut() sees that it is gone and only forgets it. */
	/* The library lets go of a request that is being answered: then it is ours to free. */
	if (req && !evhttp_request_get_connection(req))
		evhttp_request_free(req);
}

/* evhttp stops reading while a request is answered; then a leaving client would be seen too late. */
static void watch_for_leaving(struct relay *r)
{
	struct bufferevent *bev = bev_of(r->req);
	bufferevent_data_cb read_cb, write_cb;
	bufferevent_event_cb event_cb;
	void *arg;
	int on = 1;

	setsockopt(bufferevent_getfd(bev), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	bufferevent_getcb(bev, &read_cb, &write_cb, &event_cb, &arg);
	bufferevent_setcb(bev, NULL, write_cb, event_cb, arg);
	bufferevent_enable(bev, EV_READ);
	evhttp_connection_set_closecb(evhttp_request_get_connection(r->req), on_client_gone, r);
}

/* ---- towards the engine ---- */

static const char *method_of(struct evhttp_request *req)
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

static void record_request(struct relay *r, int64_t id, int64_t sent_ns, const char *uri)
{
	struct api_request ask;
	struct record rec;
	struct rec_request *q = &rec.u.request;
	char digest[DIGEST_HEX + 1];
	struct buf endpoint;
	struct err ignored; /* a body that is no JSON is still recorded; the engine answers it */

	buf_init(&endpoint, 1 << 16);
	secret_scrub_url(str_of(uri), &endpoint);
	digest_bytes(r->body.p, r->body.n, digest);
	record_init(&rec, REC_REQUEST);
	q->id = id;
	q->sent_ns = q->queued_ns = sent_ns;
	q->method = str_of(method_of(r->req));
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

static int start(struct relay *r, struct err *e)
{
	bool recorded = r->api != API_NONE;
	const char *uri = evhttp_request_get_uri(r->req);
	struct capture_request q = {
		.id = recorded ? r->w->next_id : -1, .method = method_of(r->req), .url = url_of(r, uri),
		.headers = r->headers, .body = buf_str(&r->body), .api = r->api, .raw_passthrough = true,
		.arg = r, .on_head = on_head, .on_bytes = on_bytes, .on_record = recorded ? on_record : NULL,
		.on_done = on_done,
	};
	int64_t sent_ns;

	r->capture = capture_start(r->w->pool, &q, &sent_ns, e);
	if (!r->capture)
		return -1;
	if (recorded)
		record_request(r, r->w->next_id++, sent_ns, uri);
	if (r->w->verbose) {
		struct buf line;

		buf_init(&line, 1 << 16);
		secret_scrub_url(str_of(uri), &line);
		warn("%s %s%s", q.method, buf_cstr(&line), recorded ? "" : " (passed, not recorded)");
		buf_release(&line);
	}
	return 0;
}

void relay_begin(struct relay_world *w, struct evhttp_request *req)
{
	struct relay *r = calloc(1, sizeof(*r));
	struct err e;

	if (!r) {
		reply_error(req, 500, "internal_error", "tokrecord: out of memory");
		return;
	}
	r->w = w;
	r->req = req;
	r->next = w->all;
	if (r->next)
		r->next->prev = r;
	w->all = r;
	/* Generation is asked for by POST; a GET of the same path is something else. */
	r->api = evhttp_request_get_command(req) == EVHTTP_REQ_POST
		? api_of_path(str_of(evhttp_request_get_uri(req))) : API_NONE;
	pass_headers(r);
	watch_for_leaving(r);
	if (take_body(r) < 0 || start(r, &e) < 0) {
		evhttp_connection_set_closecb(evhttp_request_get_connection(req), NULL, NULL);
		reply_error(req, 500, "internal_error", "tokrecord: out of memory");
		forget(r);
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
		on_cut(-1, 0, (w->all->cut_polls = CUT_POLLS, w->all));
}
