/*
 * A file or pipe of zstd frames -> bytes of records.  Any number of frames, skippable ones
 * anywhere; a cut and damage are told apart.
 */
#ifndef TRACE_UNBLOCK_H
#define TRACE_UNBLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"

struct unblock;

/* fd is borrowed; step: bytes per read(), 0 for the default.  NULL: out of memory. */
struct unblock *unblock_create(int fd, size_t step);
void unblock_free(struct unblock *u);

enum unblock_result {
	UNBLOCK_MORE,     /* some bytes were appended to out */
	UNBLOCK_END,      /* clean end: the last frame was complete */
	UNBLOCK_CUT,      /* the file stops inside a frame */
	UNBLOCK_DAMAGED,  /* not zstd, checksum, read error, ...: see err */
};
/* Appends at least one byte to out unless it returns an end.  Memory: out grows by at most 128 KiB a call. */
enum unblock_result unblock_more(struct unblock *u, struct buf *out, struct err *e);
/* Compressed bytes consumed so far: where the file ends or is damaged. */
int64_t unblock_offset(const struct unblock *u);

#endif
