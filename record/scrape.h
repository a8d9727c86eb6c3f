/*
 * The operator's listener: GET /metrics and /healthz, on an address of its own, so that the
 * paths of the engine stay the clients'.
 */
#ifndef RECORD_SCRAPE_H
#define RECORD_SCRAPE_H

#include <event2/event.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"

struct scrape;

struct scrape_source {
	void *arg;
	void (*metrics)(void *arg, struct buf *out);
	/* True: all is well.  Else why, for the body of a 503. */
	bool (*healthy)(void *arg, struct buf *why);
};

/* "9100", "127.0.0.1:9100", "0.0.0.0:0".  NULL and err. */
struct scrape *scrape_create(struct event_base *base, const char *address, const struct scrape_source *src,
			     struct err *e);
/* As bound. */
const char *scrape_address(const struct scrape *s);
void scrape_free(struct scrape *s);

#endif
