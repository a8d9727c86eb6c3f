/*
 * Bytes of records -> zstd frames -> a file, with the seek table of zstd's seekable format
 * ("zstd_seekable_compression_format.md", version 0.1.0) at the end.
 */
#ifndef TRACE_BLOCK_H
#define TRACE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

enum { BLOCK_FRAME_MAX = 1 << 20 }; /* bytes of records after which a frame ends */

struct block_writer;

/* fd is borrowed.  NULL: out of memory. */
struct block_writer *block_writer_create(int fd);
/* One whole record.  0 or -1 (write error, then every later call fails too). */
int block_put(struct block_writer *b, const void *p, size_t n, struct err *e);
/* What was put can be decompressed by a reader: a zstd block flush, not a frame end. */
int block_flush(struct block_writer *b, struct err *e);
/* Ends the frame and writes the seek table. */
int block_finish(struct block_writer *b, struct err *e);
/* Bytes given to the file so far. */
int64_t block_bytes(const struct block_writer *b);
void block_writer_free(struct block_writer *b);

#endif
