/*
 * Which recorded exchange answers a request (the rule stands in served.h): pure, no I/O.
 */
#ifndef REPLAY_RECORDINGS_H
#define REPLAY_RECORDINGS_H

#include "formats/base/digest.h"
#include "formats/trace/exchanges.h"

struct recording {
	const struct exchange *x;
	char digest[DIGEST_HEX + 1]; /* "" if the trace has neither body nor digest */
};

struct recordings {
	struct recording *by_order;
	size_t *by_digest;        /* indices into by_order, sorted by digest, then order */
	size_t *used;             /* per run of one digest, at its first place: requests so far */
	size_t n;
	size_t next;              /* by order: requests so far */
};

/* All exchanges that have a response.  0, or -1: out of memory.  Borrows the trace. */
int recordings_init(struct recordings *r, const struct trace_data *t);
void recordings_release(struct recordings *r);

/* The next recording with that digest, or NULL. */
const struct exchange *recordings_by_digest(struct recordings *r, const char *digest);
/* The next one in order.  r->n must not be 0. */
const struct exchange *recordings_by_order(struct recordings *r);

#endif
