/* A record -> one msgpack map with a "kind" (toktrace.5 names every key). */
#ifndef TRACE_ENCODE_H
#define TRACE_ENCODE_H

#include "formats/base/buf.h"
#include "formats/trace/record.h"

/* Appends to out.  0, or -1: past out's ceiling or TRACE_EVENTS_MAX, or out of memory. */
int record_encode(const struct record *r, struct buf *out);

#endif
