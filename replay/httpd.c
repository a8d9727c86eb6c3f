#include <config.h>

#include "replay/httpd.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "formats/base/clock.h"
#include "replay/accepted.h"
#include "record/listen.h"
#include "replay/httppage.h"
#include "replay/httpreq.h"

enum { HEAD_MAX = 1 << 16, QUIET_DAYS_S = 7 * 86400 };

struct httpd {
	struct event_base *base;
	struct evhttp *http;
	struct event *idle;
	struct httpd_opts o;
	const struct httpd_backend *b;
	char address[LISTEN_NAME_MAX + 1];
	struct httpd_link *links;  /* calls in flight */
	struct accepted accepted;
	int64_t in_flight, answered, left;
	int64_t last_ns;           /* when the last call began or ended */
};

/* A call and its place in the list of those in flight. */
struct httpd_link {
	struct httpd_call call;
	struct httpd_link *prev, *next;
	struct buf body;
};

static struct httpd_link *link_of(struct httpd_call *c)
{
	return (struct httpd_link *)c; /* its first member */
}

/* Takes the call off the books; its request is the caller's to finish. */
static void forget(struct httpd_link *l)
{
	struct httpd *h = l->call.httpd;

	if (l->prev)
		l->prev->next = l->next;
	else
		h->links = l->next;
	if (l->next)
		l->next->prev = l->prev;
	h->in_flight--;
	h->last_ns = clock_mono_ns();
	buf_release(&l->body);
	free(l);
}

static void leave_when_done(struct httpd *h)
{
	if (h->o.requests != COUNT_NONE && h->answered + h->left >= h->o.requests)
		event_base_loopexit(h->base, NULL);
}

static void on_sent(struct evhttp_request *req, void *arg)
{
	(void)req;
	leave_when_done(arg);
}

static void on_close(struct evhttp_connection *conn, void *arg)
{
	struct httpd_link *l = arg;
	struct httpd *h = l->call.httpd;
	struct evhttp_request *req = l->call.req;

	(void)conn;
	h->b->gone(h->b->arg, &l->call);
	forget(l);
	h->left++;
	/* The library lets go of a request that is being answered: then it is ours to free. */
	if (!evhttp_request_get_connection(req))
		evhttp_request_free(req);
	leave_when_done(h);
}

/* The answer is complete: the call is over, the request is still to be finished. */
static struct evhttp_request *finish(struct httpd_call *c)
{
	struct evhttp_request *req = c->req;
	struct httpd *h = c->httpd;

	evhttp_connection_set_closecb(evhttp_request_get_connection(req), NULL, NULL);
	h->answered++;
	evhttp_request_set_on_complete_cb(req, on_sent, h);
	forget(link_of(c));
	return req;
}

void httpd_reply(struct httpd_call *c, int status, const char *type, struct str body)
{
	httpreq_reply(finish(c), status, type, body);
}

void httpd_error(struct httpd_call *c, int status, const char *type, const char *message)
{
	httpreq_error(finish(c), status, type, message);
}

/* Sends now what waits, so that neither a loop turn nor the next chunk comes between. */
static void push(struct httpd_call *c)
{
	struct bufferevent *bev = httpreq_bev(c->req);
	struct evbuffer *out = bufferevent_get_output(bev);

	evbuffer_unfreeze(out, 1);
	/* What does not go, or an error, is left to the loop. */
	evbuffer_write(out, bufferevent_getfd(bev));
	evbuffer_freeze(out, 1);
}

void httpd_start(struct httpd_call *c, int status, const char *type)
{
	httpreq_header(c->req, "Content-Type", type);
	httpreq_header(c->req, "Cache-Control", "no-cache");
	evhttp_send_reply_start(c->req, status, NULL);
	push(c);
}

void httpd_send(struct httpd_call *c, struct str bytes)
{
	struct evbuffer *b = evbuffer_new();

	if (!b)
		return;
	evbuffer_add(b, bytes.p, bytes.n);
	evhttp_send_reply_chunk(c->req, b);
	evbuffer_free(b);
	push(c);
}

void httpd_end(struct httpd_call *c)
{
	evhttp_send_reply_end(finish(c));
}

void httpd_cut(struct httpd_call *c)
{
	struct httpd *h = c->httpd;
	struct evhttp_connection *conn = evhttp_request_get_connection(c->req);

	push(c);
	evhttp_connection_set_closecb(conn, NULL, NULL);
	h->answered++;
	forget(link_of(c));
	evhttp_connection_free(conn);
	leave_when_done(h);
}

/*
 * evhttp stops reading while a request is answered; then a client that leaves would be
 * seen at the next write only.  Bytes of a next request that come early stay in the buffer.
 */
static void watch_for_leaving(struct evhttp_request *req, struct httpd_link *l)
{
	struct bufferevent *bev = httpreq_bev(req);
	bufferevent_data_cb read_cb, write_cb;
	bufferevent_event_cb event_cb;
	void *arg;
	int on = 1;

	setsockopt(bufferevent_getfd(bev), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	bufferevent_getcb(bev, &read_cb, &write_cb, &event_cb, &arg);
	bufferevent_setcb(bev, NULL, write_cb, event_cb, arg);
	bufferevent_enable(bev, EV_READ);
	evhttp_connection_set_closecb(evhttp_request_get_connection(req), on_close, l);
}

static void note_call(struct httpd *h, const struct httpd_call *c)
{
	if (h->o.digests) {
		fprintf(h->o.digests, "%s\n", c->digest);
		fflush(h->o.digests);
	}
	if (h->o.verbose)
		fprintf(stderr, "%s: request %s, %zu bytes, %.12s\n", err_tool_name(),
			api_name(c->api), c->body.n, c->digest);
}

static void on_infer(struct httpd *h, struct evhttp_request *req, enum api_kind api,
		     int64_t arrive_ns)
{
	struct httpd_link *l = calloc(1, sizeof(*l));

	if (!l || httpreq_body(req, &l->body) < 0) {
		free(l);
		httpreq_error(req, 500, "InternalServerError", "out of memory");
		return;
	}
	l->call = (struct httpd_call){ .api = api, .body = buf_str(&l->body),
				       .arrive_ns = arrive_ns, .httpd = h, .req = req };
	l->call.begin_ns = accepted_begin(&h->accepted, httpreq_bev(req), arrive_ns);
	digest_bytes(l->call.body.p, l->call.body.n, l->call.digest);
	l->next = h->links;
	if (l->next)
		l->next->prev = l;
	h->links = l;
	h->in_flight++;
	h->last_ns = arrive_ns;
	watch_for_leaving(req, l);
	note_call(h, &l->call);
	h->b->call(h->b->arg, &l->call);
}

static void on_request(struct evhttp_request *req, void *arg)
{
	int64_t now_ns = clock_mono_ns();
	struct httpd *h = arg;
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
	const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
	bool post = evhttp_request_get_command(req) == EVHTTP_REQ_POST;
	enum api_kind api = path ? api_of_path(str_of(path)) : API_NONE;

	if (!path)
		httpreq_error(req, 400, "BadRequestError", "the request has no path");
	else if (api == API_NONE)
		httppage(h->b, req, path, post);
	else if (!post)
		httpreq_error(req, 405, "MethodNotAllowed", "Method Not Allowed");
	else
		on_infer(h, req, api, now_ns);
}

static void on_idle(evutil_socket_t fd, short what, void *arg)
{
	struct httpd *h = arg;

	(void)fd;
	(void)what;
	if (h->in_flight == 0 && clock_mono_ns() - h->last_ns >= h->o.idle_ns)
		event_base_loopexit(h->base, NULL);
}

static int start_idle(struct httpd *h)
{
	int64_t each_ns = h->o.idle_ns / 4 + NS_PER_MS;
	struct timeval tv = { each_ns / NS_PER_S, each_ns % NS_PER_S / NS_PER_US };

	if (h->o.idle_ns == NS_NONE)
		return 0;
	h->last_ns = clock_mono_ns();
	h->idle = event_new(h->base, -1, EV_PERSIST, on_idle, h);
	return h->idle ? event_add(h->idle, &tv) : -1;
}

static int start_listening(struct httpd *h, struct err *e)
{
	struct evconnlistener *l = listen_on(h->base, h->o.listen, h->address, e);

	if (!l)
		return -1;
	if (evhttp_bind_listener(h->http, l))
		return 0;
	evconnlistener_free(l);
	return err_set(e, "out of memory");
}

/* As the library would make it; only the time is of interest. */
static struct bufferevent *on_accept(struct event_base *base, void *arg)
{
	struct bufferevent *bev = bufferevent_socket_new(base, -1, 0);
	struct httpd *h = arg;

	accepted_note(&h->accepted, bev, clock_mono_ns());
	return bev;
}

/* What libraries load on first use would delay the first request by milliseconds. */
static void warm_up(void)
{
	char hex[DIGEST_HEX + 1];

	digest_bytes("", 0, hex);
	tzset();
}

struct httpd *httpd_create(struct event_base *base, const struct httpd_opts *o,
			   const struct httpd_backend *b, struct err *e)
{
	struct httpd *h = calloc(1, sizeof(*h));

	if (!h) {
		err_set(e, "out of memory");
		return NULL;
	}
	h->base = base;
	h->o = *o;
	h->b = b;
	h->http = evhttp_new(base);
	warm_up();
	if (!h->http || start_idle(h) < 0) {
		err_set(e, "out of memory");
		httpd_free(h);
		return NULL;
	}
	evhttp_set_gencb(h->http, on_request, h);
	evhttp_set_bevcb(h->http, on_accept, h);
	evhttp_set_max_headers_size(h->http, HEAD_MAX);
	evhttp_set_max_body_size(h->http, HTTPREQ_BODY_MAX);
	evhttp_set_allowed_methods(h->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD);
	/* The default would close a connection that waits for its first token for 50 s. */
	evhttp_set_timeout(h->http, QUIET_DAYS_S);
	if (start_listening(h, e) < 0) {
		httpd_free(h);
		return NULL;
	}
	return h;
}

void httpd_free(struct httpd *h)
{
	if (!h)
		return;
	h->o.requests = COUNT_NONE;
	while (h->links) {
		struct httpd_call *c = &h->links->call;
		struct evhttp_connection *conn = evhttp_request_get_connection(c->req);

		evhttp_connection_set_closecb(conn, NULL, NULL);
		h->b->gone(h->b->arg, c);
		forget(h->links);
		evhttp_connection_free(conn);
	}
	if (h->idle)
		event_free(h->idle);
	if (h->http)
		evhttp_free(h->http);
	free(h);
}

const char *httpd_address(const struct httpd *h)
{
	return h->address;
}

void httpd_counts(const struct httpd *h, int64_t *answered, int64_t *left)
{
	*answered = h->answered;
	*left = h->left;
}
