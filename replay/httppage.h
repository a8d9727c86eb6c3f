/*
 * The small pages of tokserve that are answered at once: /v1/models, /version, /health,
 * /metrics (GET) and /tokenize (POST); 404 for any other path, 405 for the wrong method.
 */
#ifndef REPLAY_HTTPPAGE_H
#define REPLAY_HTTPPAGE_H

#include "replay/httpd.h"

/* post: the method is POST.  Answers in any case; req is the library's afterwards. */
void httppage(const struct httpd_backend *b, struct evhttp_request *req, const char *path,
	      bool post);

#endif
