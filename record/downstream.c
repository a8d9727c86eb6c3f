#include <config.h>

#include "record/downstream.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "record/head.h"

#define TELL_NS (10 * NS_PER_S) /* between two lines on stderr about upstreams that fail */

enum {
	PENDING_MAX = 1 << 18, PENDING_LOW = 1 << 16, /* in memory several times that, where events are small */
	AHEAD_MAX = 64 << 10, /* what a client may send of its next requests while one is answered */
	CUT_POLL_MS = 5, CUT_POLLS = 200,
};

struct bufferevent *downstream_bev(struct evhttp_request *req)
{
	return evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
}

void downstream_refuse(struct evhttp_request *req, const struct refusal *why)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);
	struct evbuffer *b = evbuffer_new();
	char length[24];

	evhttp_add_header(out, "Content-Type", "application/json");
	/* After a request that was not understood, what follows may not be one. */
	if (why->status != 502 && why->status != 504)
		evhttp_add_header(out, "Connection", "close");
	if (why->status == 503)
		evhttp_add_header(out, "Retry-After", "1");
	if (b)
		evbuffer_add_printf(b, "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"code\":%d}}\n", why->text,
				    why->type, why->status);
	/* evhttp says no length after CONNECT. */
	snprintf(length, sizeof(length), "%zu", b ? evbuffer_get_length(b) : (size_t)0);
	evhttp_add_header(out, "Content-Length", length);
	evhttp_send_reply(req, why->status, NULL, b);
	if (b)
		evbuffer_free(b);
}

/*
 * A client of HTTP/1.0 knows an answer without a length by its end only, so its connection
 * must not be kept; evhttp would say "Content-Length: 0".
 */
static void forbid_keeping(struct evhttp_request *req)
{
	if (req->major == 1 && req->minor == 0)
		while (evhttp_remove_header(evhttp_request_get_input_headers(req), "Connection") == 0)
			;
}

static void pass_line(struct relay *r, const char *line, const char *hops, bool chunked)
{
	const char *colon = strchr(line, ':'), *name;

	if (!colon)
		return;
	name = arena_str(&r->store, (struct str){ line, (size_t)(colon - line) }).p;
	/* Where both are given, chunked is the framing and the length is void (RFC 9112, 6.3). */
	if (!name || header_is_hop(name, hops) || (chunked && strcasecmp(name, "Content-Length") == 0))
		return;
	evhttp_add_header(evhttp_request_get_output_headers(r->req), name, colon + 1 + strspn(colon + 1, " \t"));
}

void downstream_head(void *arg, long status, const char *reason, const char *const *lines, size_t n, int64_t t_ns)
{
	struct relay *r = arg;
	bool chunked = head_value(lines, n, "Transfer-Encoding") != NULL;
	struct buf hops;

	(void)t_ns;
	if (!r->req)
		return;
	buf_init(&hops, 1 << 20);
	for (size_t i = 0; i < n; i++)
		if (strncasecmp(lines[i], "Connection:", 11) == 0)
			header_connection(&hops, "Connection", lines[i] + 11);
	for (size_t i = 0; i < n; i++)
		pass_line(r, lines[i], buf_cstr(&hops), chunked);
	buf_release(&hops);
	if (!evhttp_find_header(evhttp_request_get_output_headers(r->req), "Content-Length"))
		forbid_keeping(r->req);
	if (r->w->draining)
		evhttp_add_header(evhttp_request_get_output_headers(r->req), "Connection", "close");
	r->started = true;
	evhttp_send_reply_start(r->req, (int)status, reason);
}

/* The client took what was waiting: the engine may go on. */
static void on_drained(struct evhttp_connection *conn, void *arg)
{
	struct relay *r = arg;

	(void)conn;
	if (!r->paused || !r->req || !r->capture)
		return;
	if (evbuffer_get_length(bufferevent_get_output(downstream_bev(r->req))) > PENDING_LOW)
		return;
	r->paused = false;
	capture_resume(r->capture);
}

/*
 * An event leaves with the read that brought it: by itself libevent would first ask the
 * kernel to be told when the socket takes bytes, and write at its loop's next turn.  What
 * the socket does not take now is left to libevent; so are its errors.
 */
static void write_now(struct bufferevent *bev)
{
	struct evbuffer *out = bufferevent_get_output(bev);

	evbuffer_unfreeze(out, 1);
	evbuffer_write(out, bufferevent_getfd(bev));
	evbuffer_freeze(out, 1);
	if (evbuffer_get_length(out) == 0)
		bufferevent_disable(bev, EV_WRITE);
}

bool downstream_bytes(void *arg, const char *p, size_t n, int64_t t_ns)
{
	struct relay *r = arg;
	struct bufferevent *bev;
	struct evbuffer *b;

	(void)t_ns;
	if (!r->req || !r->started)
		return true;
	r->w->stats->bytes_sent += (int64_t)n;
	b = evbuffer_new();
	if (b) {
		evbuffer_add(b, p, n);
		evhttp_send_reply_chunk_with_cb(r->req, b, on_drained, r);
		evbuffer_free(b);
	}
	bev = downstream_bev(r->req);
	if (!r->w->tls)
		write_now(bev);
	r->paused = evbuffer_get_length(bufferevent_get_output(bev)) > PENDING_MAX;
	return !r->paused;
}

/* Without the zero chunk the client knows that the answer is not whole. */
static void on_cut(evutil_socket_t fd, short what, void *arg)
{
	struct relay *r = arg;
	struct timeval tv = { 0, CUT_POLL_MS * 1000 };

	(void)fd, (void)what;
	if (r->req && r->cut_polls++ < CUT_POLLS && evbuffer_get_length(bufferevent_get_output(downstream_bev(r->req)))) {
		evtimer_add(r->cut, &tv);
		return;
	}
	if (r->req) {
		downstream_unwatch(r->req);
		evhttp_connection_free(evhttp_request_get_connection(r->req));
	}
	relay_forget(r);
}

static void cut_client(struct relay *r)
{
	struct timeval now = { 0, 0 };

	r->cut = evtimer_new(r->w->base, on_cut, r);
	if (r->cut)
		evtimer_add(r->cut, &now);
	else
		downstream_abort(r);
}

/* The client need not know more than that it failed; the cause is for who runs this. */
static void tell_operator(struct relay *r, const struct rec_response *last)
{
	int64_t now = clock_mono_ns();

	if (last->error_text.n == 0 || (r->w->told_ns != 0 && now - r->w->told_ns < TELL_NS))
		return;
	r->w->told_ns = now;
	warn("%s: %.*s", r->engine->shown, (int)last->error_text.n, last->error_text.p);
}

static void answer_failure(struct relay *r, const struct rec_response *last)
{
	static const struct refusal late = {
		504, "gateway_timeout", "tokrecord: the upstream did not answer in time"
	}, unreachable = {
		502, "bad_gateway", "tokrecord: cannot reach the upstream, or it left without an answer"
	};

	downstream_refuse(r->req, last->status == ST_TIMEOUT ? &late : &unreachable);
	tell_operator(r, last);
}

void downstream_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct relay *r = arg;
	struct relay_world *w = r->w;

	r->capture = NULL;
	stats_end(w->stats, &r->seen, last);
	if (r->req && r->started && !clean_end) {
		cut_client(r);
	} else {
		if (r->req)
			downstream_unwatch(r->req);
		if (r->req && r->started)
			evhttp_send_reply_end(r->req);
		else if (r->req)
			answer_failure(r, last);
		relay_forget(r);
	}
	if (w->stop_after != COUNT_NONE && w->stats->recorded >= w->stop_after)
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
	struct bufferevent *bev = downstream_bev(r->req);
	bufferevent_data_cb read_cb, write_cb;
	bufferevent_event_cb event_cb;
	void *arg;
	int on = 1;

	setsockopt(bufferevent_getfd(bev), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	bufferevent_getcb(bev, &read_cb, &write_cb, &event_cb, &arg);
	bufferevent_setcb(bev, NULL, write_cb, event_cb, arg);
	bufferevent_setwatermark(bev, EV_READ, 0, AHEAD_MAX);
	bufferevent_enable(bev, EV_READ);
	evhttp_connection_set_closecb(evhttp_request_get_connection(r->req), on_client_gone, r);
}

void downstream_unwatch(struct evhttp_request *req)
{
	bufferevent_setwatermark(downstream_bev(req), EV_READ, 0, 0);
	evhttp_connection_set_closecb(evhttp_request_get_connection(req), NULL, NULL);
}

void downstream_abort(struct relay *r)
{
	r->cut_polls = CUT_POLLS;
	on_cut(-1, 0, r);
}
