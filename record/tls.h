/* TLS towards the clients, by libevent's bufferevents over OpenSSL. */
#ifndef RECORD_TLS_H
#define RECORD_TLS_H

#include <event2/event.h>

#include "formats/base/err.h"

struct bufferevent;
struct tls;

/* From a PEM certificate chain and its key.  NULL: err names the file and the cause. */
struct tls *tls_create(const char *cert, const char *key, struct err *e);
void tls_free(struct tls *t);
/* A connection to be accepted, as evhttp_set_bevcb() wants it; NULL: out of memory. */
struct bufferevent *tls_accept(struct event_base *base, void *tls);

#endif
