#include <config.h>

#include "record/proxy.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "record/capacity.h"
#include "record/drain.h"
#include "record/listen.h"
#include "record/relay.h"
#include "record/tls.h"

enum {
	HEADERS_MAX = 256 << 10,
	FDS_MAX = 1 << 20,
	TIMEOUT_S = 24 * 3600, /* of a client that is silent between requests; engines may think long */
	ALL_METHODS = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
		EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH,
};

struct proxy {
	struct proxy_opts o;
	struct relay_world world;
	struct stats stats;
	struct evhttp *http;
	struct tls *tls;             /* NULL: plain */
	struct evhttp_bound_socket *listener;
	uint16_t port;               /* as bound */
	char bound[LISTEN_NAME_MAX + 1];
};

static void on_request(struct evhttp_request *req, void *arg)
{
	struct proxy *p = arg;

	relay_begin(&p->world, req);
}

static void set_up_http(struct proxy *p)
{
	evhttp_set_allowed_methods(p->http, (ev_uint16_t)ALL_METHODS);
	evhttp_set_max_headers_size(p->http, HEADERS_MAX);
	evhttp_set_max_body_size(p->http, p->o.max_body);
	evhttp_set_timeout(p->http, TIMEOUT_S);
	/* A header that the engine did not send is not made up. */
	evhttp_set_default_content_type(p->http, NULL);
	evhttp_set_gencb(p->http, on_request, p);
	if (p->tls)
		evhttp_set_bevcb(p->http, tls_accept, p->tls);
}

static int open_port(struct proxy *p, struct event_base *base, struct err *e)
{
	struct evconnlistener *l = listen_on(base, p->o.listen, p->bound, e);

	if (!l)
		return -1;
	p->http = evhttp_new(base);
	p->listener = p->http ? evhttp_bind_listener(p->http, l) : NULL;
	if (!p->listener) {
		evconnlistener_free(l);
		return err_set(e, "out of memory");
	}
	set_up_http(p);
	return crowd_watch(&p->world.crowd, base, l) < 0 ? err_set(e, "out of memory") : 0;
}

struct proxy *proxy_create(struct event_base *base, const struct proxy_opts *o, struct capture_pool *pool,
			   struct recorder *rec, struct err *e)
{
	struct proxy *p = calloc(1, sizeof(*p));

	if (!p) {
		err_set(e, "out of memory");
		return NULL;
	}
	p->o = *o;
	stats_init(&p->stats);
	p->world = (struct relay_world){
		.base = base, .pool = pool, .engines = o->engines, .epoch_ns = o->epoch_ns,
		.stop_after = o->stop_after, .verbose = o->verbose, .stats = &p->stats,
		.crowd = { .max_streams = o->max_streams, .last_fd = capacity_last_fd(o->fd_limit) },
	};
	p->world.keep = keep_create(&o->keep, rec, e);
	if (p->world.keep && o->cert)
		p->tls = tls_create(o->cert, o->key, e);
	p->world.tls = p->tls != NULL;
	if (!p->world.keep || (o->cert && !p->tls) || open_port(p, base, e) < 0) {
		proxy_free(p);
		return NULL;
	}
	return p;
}

bool proxy_is_local(const struct proxy *p)
{
	return strncmp(p->bound, "127.", 4) == 0 || strncmp(p->bound, "[::1]", 5) == 0;
}

const char *proxy_address(const struct proxy *p)
{
	return p->bound;
}

const struct stats *proxy_stats(const struct proxy *p)
{
	return &p->stats;
}

static int count_clients(struct proxy *p)
{
	struct rlimit l = { 0 };
	size_t n = getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < FDS_MAX ? l.rlim_cur : FDS_MAX;
	bool *busy = calloc(n, sizeof(*busy));
	int left = 1;

	if (busy) {
		relay_busy(&p->world, busy, n);
		left = drain_idle(p->port, busy, n);
	}
	free(busy);
	return left;
}

bool proxy_drain(struct proxy *p)
{
	if (p->listener) {
		p->port = (uint16_t)atoi(strrchr(p->bound, ':') + 1);
		crowd_unwatch(&p->world.crowd);
		evhttp_del_accept_socket(p->http, p->listener);
		p->listener = NULL;
		p->world.draining = true;
	}
	return count_clients(p) == 0 && !p->world.all;
}

void proxy_free(struct proxy *p)
{
	if (!p)
		return;
	relay_cancel_all(&p->world);
	crowd_unwatch(&p->world.crowd);
	if (p->http)
		evhttp_free(p->http);
	tls_free(p->tls);
	keep_free(p->world.keep);
	free(p);
}
