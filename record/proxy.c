#include <config.h>

#include "record/proxy.h"

#include <event2/http.h>
#include <stdlib.h>

#include "record/listen.h"
#include "record/relay.h"

enum {
	HEADERS_MAX = 256 << 10,
	TIMEOUT_S = 24 * 3600, /* of a client that is silent between requests; engines may think long */
	ALL_METHODS = EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
		EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH,
};

struct proxy {
	struct proxy_opts o;
	struct relay_world world;
	struct evhttp *http;
	char bound[LISTEN_NAME_MAX + 1];
};

static void on_request(struct evhttp_request *req, void *arg)
{
	struct proxy *p = arg;

	relay_begin(&p->world, req);
}

struct proxy *proxy_create(struct event_base *base, const struct proxy_opts *o, struct capture_pool *pool,
			   struct recorder *rec, struct err *e)
{
	struct proxy *p = calloc(1, sizeof(*p));
	struct evconnlistener *l;

	if (!p) {
		err_set(e, "out of memory");
		return NULL;
	}
	p->o = *o;
	p->world = (struct relay_world){
		.base = base, .pool = pool, .upstream = o->upstream, .epoch_ns = o->epoch_ns,
		.stop_after = o->stop_after, .verbose = o->verbose,
	};
	p->world.keep = keep_create(&o->keep, rec, e);
	l = p->world.keep ? listen_on(base, o->listen, p->bound, e) : NULL;
	p->http = l ? evhttp_new(base) : NULL;
	if (!p->http || !evhttp_bind_listener(p->http, l)) {
		if (l && !p->http)
			err_set(e, "out of memory");
		keep_free(p->world.keep);
		free(p);
		return NULL;
	}
	evhttp_set_allowed_methods(p->http, (ev_uint16_t)ALL_METHODS);
	evhttp_set_max_headers_size(p->http, HEADERS_MAX);
	evhttp_set_max_body_size(p->http, o->max_body);
	evhttp_set_timeout(p->http, TIMEOUT_S);
	/* A header that the engine did not send is not made up. */
	evhttp_set_default_content_type(p->http, NULL);
	evhttp_set_gencb(p->http, on_request, p);
	return p;
}

const char *proxy_address(const struct proxy *p)
{
	return p->bound;
}

void proxy_counts(const struct proxy *p, int64_t *recorded, int64_t *passed, int64_t *unsampled)
{
	*recorded = p->world.recorded;
	*passed = p->world.passed;
	*unsampled = p->world.unsampled;
}

void proxy_free(struct proxy *p)
{
	if (!p)
		return;
	relay_cancel_all(&p->world);
	evhttp_free(p->http);
	keep_free(p->world.keep);
	free(p);
}
