/*
 * A listening socket for libevent, from what people type: HOST:PORT, port 0 for any.
 */
#ifndef RECORD_LISTEN_H
#define RECORD_LISTEN_H

#include <event2/event.h>
#include <event2/listener.h>

#include "formats/base/err.h"

enum { LISTEN_NAME_MAX = 127 };

/*
 * Without a callback yet.  bound: the address as bound, "127.0.0.1:43211".  NULL: err
 * names the address, cause and remedy.
 */
struct evconnlistener *listen_on(struct event_base *base, const char *address,
				 char bound[LISTEN_NAME_MAX + 1], struct err *e);

#endif
