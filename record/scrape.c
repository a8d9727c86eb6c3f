#include <config.h>

#include "record/scrape.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/listen.h"
#include "record/metrics.h"

enum { HEADERS_MAX = 16 << 10, BODY_MAX = 1 << 10, TIMEOUT_S = 120, TEXT_MAX = 1 << 22 };

struct scrape {
	struct evhttp *http;
	struct scrape_source src;
	char bound[LISTEN_NAME_MAX + 1];
};

static void answer(struct evhttp_request *req, int status, const char *type, const struct buf *text)
{
	struct evbuffer *b = evbuffer_new();

	evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type", type);
	if (b)
		evbuffer_add(b, buf_str(text).p, text->n);
	evhttp_send_reply(req, status, NULL, b);
	if (b)
		evbuffer_free(b);
}

static void on_metrics(struct evhttp_request *req, void *arg)
{
	struct scrape *s = arg;
	struct buf text;

	buf_init(&text, TEXT_MAX);
	s->src.metrics(s->src.arg, &text);
	answer(req, 200, METRICS_CONTENT_TYPE, &text);
	buf_release(&text);
}

static void on_health(struct evhttp_request *req, void *arg)
{
	struct scrape *s = arg;
	struct buf why;
	bool well;

	buf_init(&why, TEXT_MAX);
	well = s->src.healthy(s->src.arg, &why);
	if (well)
		buf_adds(&why, "ok\n");
	answer(req, well ? 200 : 503, "text/plain; charset=utf-8", &why);
	buf_release(&why);
}

static void on_other(struct evhttp_request *req, void *arg)
{
	struct buf text;

	(void)arg;
	buf_init(&text, TEXT_MAX);
	buf_adds(&text, "/metrics or /healthz\n");
	answer(req, 404, "text/plain; charset=utf-8", &text);
	buf_release(&text);
}

struct scrape *scrape_create(struct event_base *base, const char *address, const struct scrape_source *src,
			     struct err *e)
{
	struct scrape *s = calloc(1, sizeof(*s));
	struct evconnlistener *l;
	char full[LISTEN_NAME_MAX + 1];

	if (!s) {
		err_set(e, "out of memory");
		return NULL;
	}
	s->src = *src;
	snprintf(full, sizeof(full), "%s%s", strchr(address, ':') ? "" : "127.0.0.1:", address);
	l = listen_on(base, full, s->bound, e);
	s->http = l ? evhttp_new(base) : NULL;
	if (!s->http || !evhttp_bind_listener(s->http, l)) {
		if (l && !s->http)
			err_set(e, "out of memory");
		err_wrap(e, "--metrics");
		scrape_free(s);
		return NULL;
	}
	evhttp_set_allowed_methods(s->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
	evhttp_set_max_headers_size(s->http, HEADERS_MAX);
	evhttp_set_max_body_size(s->http, BODY_MAX);
	evhttp_set_timeout(s->http, TIMEOUT_S);
	evhttp_set_cb(s->http, "/metrics", on_metrics, s);
	evhttp_set_cb(s->http, "/healthz", on_health, s);
	evhttp_set_gencb(s->http, on_other, s);
	return s;
}

const char *scrape_address(const struct scrape *s)
{
	return s->bound;
}

void scrape_free(struct scrape *s)
{
	if (!s)
		return;
	if (s->http)
		evhttp_free(s->http);
	free(s);
}
