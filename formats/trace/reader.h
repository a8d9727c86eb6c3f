/*
 * Reading a trace, from a file or a pipe, in bounded memory, whatever bytes it holds.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "formats/base/err.h"
#include "formats/trace/record.h"

struct trace_reader;

/* "-" is stdin.  Returns 0 and *out, or -1 (missing, unreadable, a directory; not a trace is found by the first trace_next()). */
int trace_reader_open(const char *path, struct trace_reader **out, struct err *e);

/*
 * 1: a record, valid until the next call.  0: clean end.  -1: err names file, byte offset
 * (in the compressed file), records read so far, and cause.  REC_UNKNOWN is skipped inside.
 * After a cut (trace_reader_cut()) every complete record before it has been delivered.
 */
int trace_next(struct trace_reader *r, struct record *rec, struct err *e);

/* After -1: true if the file just stops (truncated), false if it is damaged or no trace. */
bool trace_reader_cut(const struct trace_reader *r);
/* Index of the segment of the last record, from 0; a header record begins each. */
int64_t trace_reader_segment(const struct trace_reader *r);
int64_t trace_reader_records(const struct trace_reader *r);
void trace_reader_close(struct trace_reader *r);

#endif
