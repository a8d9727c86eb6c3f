/* The direction from the client to the engine: URL, headers, body, as the client gave them. */
#ifndef RECORD_UPSTREAM_H
#define RECORD_UPSTREAM_H

#include "record/relay_own.h"

const char *upstream_method(struct evhttp_request *req);

/* Sends it on, and has its request recorded if it is to be.  0 or -1. */
int upstream_start(struct relay *r, struct err *e);

#endif
