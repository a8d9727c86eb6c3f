#include <config.h>

#include "record/refusal.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "record/headers.h"

static const struct refusal
	tunnel = { 501, "not_implemented", "tokrecord: CONNECT is not passed on; use plain requests" },
	websocket = { 501, "not_implemented", "tokrecord: WebSockets are not passed on; connect to the engine" },
	target = { 400, "bad_request", "tokrecord: the request target has a space or control character" },
	lengths = { 400, "bad_request", "tokrecord: the request has several Content-Lengths" },
	too_many = { 431, "too_many_headers", "tokrecord: the request has too many headers" };

/* curl would send it as it is: a space would end the target early, a line end the request. */
static bool broken_target(const char *uri)
{
	if (!*uri)
		return true;
	for (; *uri; uri++)
		if ((unsigned char)*uri <= ' ' || *uri == 0x7f)
			return true;
	return false;
}

const struct refusal *refusal_of(struct evhttp_request *req)
{
	const struct evkeyvalq *in = evhttp_request_get_input_headers(req);
	const char *length = NULL;
	size_t n = 0;

	if (evhttp_request_get_command(req) == EVHTTP_REQ_CONNECT)
		return &tunnel;
	if (broken_target(evhttp_request_get_uri(req)))
		return &target;
	for (const struct evkeyval *h = in->tqh_first; h; h = h->next.tqe_next) {
		/* Other upgrades, to HTTP/2 say, may be ignored, and are. */
		if (strcasecmp(h->key, "Upgrade") == 0 && header_lists(h->value, "websocket"))
			return &websocket;
		if (strcasecmp(h->key, "Content-Length") == 0) {
			if (length && strcmp(length, h->value) != 0)
				return &lengths;
			length = h->value;
		}
		if (++n > HEADERS_PASSED_MAX)
			return &too_many;
	}
	return NULL;
}
