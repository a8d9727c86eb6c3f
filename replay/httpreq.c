#include <config.h>

#include "replay/httpreq.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "replay/pages.h"

struct bufferevent *httpreq_bev(struct evhttp_request *req)
{
	return evhttp_connection_get_bufferevent(evhttp_request_get_connection(req));
}

void httpreq_header(struct evhttp_request *req, const char *name, const char *value)
{
	struct evkeyvalq *headers = evhttp_request_get_output_headers(req);

	evhttp_remove_header(headers, name);
	evhttp_add_header(headers, name, value);
}

void httpreq_reply(struct evhttp_request *req, int status, const char *type, struct str body)
{
	struct evbuffer *b = evbuffer_new();

	httpreq_header(req, "Content-Type", type);
	if (b && body.n)
		evbuffer_add(b, body.p, body.n);
	evhttp_send_reply(req, status, NULL, b);
	if (b)
		evbuffer_free(b);
}

void httpreq_error(struct evhttp_request *req, int status, const char *type, const char *message)
{
	struct buf b;

	buf_init(&b, 1 << 16);
	pages_error(&b, status, type, message);
	httpreq_reply(req, status, "application/json", buf_str(&b));
	buf_release(&b);
}

int httpreq_body(struct evhttp_request *req, struct buf *body)
{
	struct evbuffer *in = evhttp_request_get_input_buffer(req);
	size_t n = evbuffer_get_length(in);

	buf_init(body, HTTPREQ_BODY_MAX);
	if (buf_reserve(body, n + 1) < 0)
		return -1;
	evbuffer_remove(in, body->p, n);
	body->n = n;
	return 0;
}
