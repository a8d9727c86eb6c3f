/*
 * tokserve's trace mode: gives a trace's responses back, byte for byte in their text and
 * with their token timing, counted from the begin of the request: its arrival, or that of
 * its connection if the client opened one for it.
 *
 * Which recording answers a request: the k-th request with a given body digest gets the
 * k-th recording with that digest, wrapping around.  A request whose digest is in no
 * recording gets the next recording in the order of sending, wrapping around: the i-th
 * such request the i-th.  `by_order` uses the second rule for all.
 *
 * Each event is sent at its own absolute deadline, so no delay adds up.  Events that
 * shared a read when they were recorded are sent together.  A recording that was cut or
 * timed out ends as it did: cut without the end of the chunked body, or silent.
 */
#ifndef REPLAY_SERVED_H
#define REPLAY_SERVED_H

#include <event2/event.h>

#include "formats/trace/exchanges.h"
#include "replay/httpd.h"

struct served;

struct served_opts {
	const struct trace_data *trace; /* borrowed; has texts */
	bool by_order;
	double speed;             /* 2: twice as fast as recorded */
	const char *model;        /* NULL: the one that the trace names */
};

/* NULL: no response in the trace, or out of memory; err says which and the remedy. */
struct served *served_create(struct event_base *base, const struct served_opts *o, struct err *e);
/* After httpd_free(). */
void served_free(struct served *s);
void served_backend(struct served *s, struct httpd_backend *out);

#endif
