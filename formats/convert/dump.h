/* A trace as text: one JSON object per record, with the key names of toktrace(5). */
#ifndef CONVERT_DUMP_H
#define CONVERT_DUMP_H

#include <stdio.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"
#include "formats/trace/record.h"

/*
 * Appends one line, with its line feed.  The parallel arrays of a response become an array
 * of objects, one per event.  0, or -1: out's ceiling.
 */
int dump_record(const struct record *r, struct buf *out);

/* All of a trace ("-": stdin).  0, or -1 after all records before the fault were printed. */
int dump_trace(const char *path, FILE *out, struct err *e);

#endif
