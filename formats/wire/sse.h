/*
 * Server-sent events, as the WHATWG HTML standard parses them ("9.2.6 Interpreting an
 * event stream"): push parser, any split of the input gives the same events.  Beyond
 * the standard it also reports comments and blocks without data, because a trace keeps
 * every event of a stream.
 */
#ifndef WIRE_SSE_H
#define WIRE_SSE_H

#include "formats/base/buf.h"

enum sse_kind {
	SSE_DATA,    /* a dispatched event; its data may be empty ("data:" alone) */
	SSE_COMMENT, /* one comment line; data = what follows the colon */
	SSE_NODATA,  /* a block with fields but no data line (retry:, id:, event: alone); data = its raw lines joined by LF */
};

struct sse_event {
	enum sse_kind kind;
	struct str type; /* value of "event:", absent if none */
	struct str data; /* data lines joined by LF; valid during the call */
};

/* Return non-zero to stop: sse_feed() then returns -1. */
typedef int (*sse_fn)(void *arg, const struct sse_event *ev);

struct sse {
	sse_fn fn;
	void *arg;
	struct buf line, data, type, fields; /* ceilings: see sse_init() */
	bool after_cr, at_start, has_data, has_fields, has_type;
	size_t bom; /* bytes of a leading BOM seen so far */
};

/* max: ceiling in bytes of one event. */
void sse_init(struct sse *s, size_t max, sse_fn fn, void *arg);
void sse_release(struct sse *s);
/* 0, or -1: an event past the ceiling, or the callback stopped it. */
int sse_feed(struct sse *s, const char *p, size_t n);
/* True if bytes of an unfinished block are waiting: at end of stream they are no event. */
bool sse_pending(const struct sse *s);
/*
 * The unfinished block's data so far, including an unfinished last line, or absent: a
 * stream that ends in "data: [DONE]" LF has its end marker although the block is open (D09 D).
 */
struct str sse_pending_data(struct sse *s);

#endif
