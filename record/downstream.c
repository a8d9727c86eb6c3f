#include <config.h>

#include "record/downstream.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "record/headers.h"

enum { PENDING_MAX = 1 << 20, PENDING_LOW = 1 << 18, CUT_POLL_MS = 5, CUT_POLLS = 200 };

static struct bufferevent *bev_of(struct evhttp_request *req)
{
	return evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
}

void downstream_refuse(struct evhttp_request *req, int status, const char *type, const char *text)
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

void downstream_head(void *arg, long status, const char *const *lines, size_t n, int64_t t_ns)
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

bool downstream_bytes(void *arg, const char *p, size_t n, int64_t t_ns)
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
	relay_forget(r);
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

	downstream_refuse(r->req, timeout ? 504 : 502, timeout ? "gateway_timeout" : "bad_gateway",
		    timeout ? "tokrecord: the upstream did not answer in time"
			    : "tokrecord: cannot reach the upstream, or it left without an answer");
}

void downstream_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct relay *r = arg;
	struct relay_world *w = r->w;

	r->capture = NULL;
	if (r->kept.recorded) {
		w->recorded++;
	} else {
		w->passed++;
		w->unsampled += r->api != API_NONE;
	}
	if (r->req && r->started && !clean_end) {
		cut_client(r);
	} else {
		if (r->req)
			evhttp_connection_set_closecb(evhttp_request_get_connection(r->req), NULL, NULL);
		if (r->req && r->started)
			evhttp_send_reply_end(r->req);
		else if (r->req)
			answer_failure(r, last);
		relay_forget(r);
	}
	if (w->stop_after != COUNT_NONE && w->recorded >= w->stop_after)
		event_base_loopexit(w->base, &(struct timeval){ 0, 50000 });
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
void downstream_watch(struct relay *r)
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

void downstream_abort(struct relay *r)
{
	r->cut_polls = CUT_POLLS;
	on_cut(-1, 0, r);
}
