/*
 * Small helpers on one request of libevent's HTTP server.
 */
#ifndef REPLAY_HTTPREQ_H
#define REPLAY_HTTPREQ_H

#include "formats/base/buf.h"

struct evhttp_request;
struct bufferevent;

enum { HTTPREQ_BODY_MAX = 1 << 28 };

struct bufferevent *httpreq_bev(struct evhttp_request *req);
/* Sets a header of the answer, instead of an earlier value. */
void httpreq_header(struct evhttp_request *req, const char *name, const char *value);
/* The whole answer; req is the library's afterwards. */
void httpreq_reply(struct evhttp_request *req, int status, const char *type, struct str body);
/* The same with the JSON of an error. */
void httpreq_error(struct evhttp_request *req, int status, const char *type, const char *message);
/* Takes the request's body out; initialises body.  0, or -1: out of memory. */
int httpreq_body(struct evhttp_request *req, struct buf *body);

#endif
