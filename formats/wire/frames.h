/*
 * JSON values one after the other, as in NDJSON (application/x-ndjson): push framer, any
 * split of the input gives the same values.  A value is complete with its last bracket,
 * whether or not a line feed has come yet, and may stand on several lines.
 */
#ifndef WIRE_FRAMES_H
#define WIRE_FRAMES_H

#include "formats/base/buf.h"

/* Return non-zero to stop: frames_feed() then returns -1. */
typedef int (*frames_fn)(void *arg, struct str value);

struct frames {
	frames_fn fn;
	void *arg;
	struct buf value;
	size_t depth;
	bool in_string, escaped;
};

/* max: ceiling in bytes of one value. */
void frames_init(struct frames *f, size_t max, frames_fn fn, void *arg);
void frames_release(struct frames *f);
/* 0, or -1: a value past the ceiling, or the callback stopped it. */
int frames_feed(struct frames *f, const char *p, size_t n);

#endif
