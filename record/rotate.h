/*
 * When a recording goes on in a new file, and what that is called.  Pure: clocks and sizes
 * come from the caller.
 */
#ifndef RECORD_ROTATE_H
#define RECORD_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"

struct rotate {
	int64_t every_ns, bytes; /* 0: not by time, not by size */
};

static inline bool rotate_wanted(const struct rotate *r)
{
	return r->every_ns > 0 || r->bytes > 0;
}

/* An empty file is never rotated: a quiet night leaves no empty files. */
bool rotate_due(const struct rotate *r, int64_t age_ns, int64_t bytes, int64_t requests);

/*
 * "a/day.tok", the Unix time of its opening -> "a/day-20261201T124500Z.tok"; try 2 and up,
 * when that is taken: "a/day-20261201T124500Z-2.tok".
 */
void rotate_name(const char *path, int64_t wall_ns, int try, struct buf *out);

#endif
