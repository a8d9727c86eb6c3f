/*
 * Writing a trace: records -> msgpack -> zstd frames of at most 1 MiB of records, and a
 * seek table at the end.  At most one second or 1 MiB is ever unflushed (design.md 4):
 * callers with an event loop call trace_writer_flush() at least once a second.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include "formats/base/err.h"
#include "formats/trace/record.h"

struct trace_writer;

/*
 * Creates or truncates path (mode 0600); "-" is stdout, refused if that is a terminal.
 * Returns 0 and *out, or -1.
 */
int trace_writer_open(const char *path, struct trace_writer **out, struct err *e);
/* The same on a descriptor that the writer takes over, also on error; name is for messages. */
int trace_writer_adopt(int fd, const char *name, struct trace_writer **out, struct err *e);

/* 0 or -1 (disk full, ...).  After a -1 the file holds what was flushed before; further writes fail too. */
int trace_write(struct trace_writer *w, const struct record *r, struct err *e);

/* A record as bytes, for a program that makes records and writes them in different places. */
struct trace_packed {
	enum rec_kind kind;
	bool last;        /* of a response */
	int64_t events;   /* in a response */
	struct buf bytes; /* owned */
};
/* 0, or -1: past the ceilings of a record; what is in *out is released either way by the caller. */
int trace_pack(const struct record *r, struct trace_packed *out, struct err *e);
/* As trace_write(). */
int trace_write_packed(struct trace_writer *w, const struct trace_packed *p, struct err *e);

/* Everything written so far can be read by others.  A zstd block flush, not a frame end. */
int trace_writer_flush(struct trace_writer *w, struct err *e);
/* Flushes if the last flush is a second ago by now_ns (CLOCK_MONOTONIC). */
int trace_writer_tick(struct trace_writer *w, int64_t now_ns, struct err *e);

/* Writes the end record if the caller did not, ends the frame, writes the seek table, syncs, closes, frees w even on error. */
int trace_writer_close(struct trace_writer *w, struct err *e);

/* Counts so far, for the end record. */
void trace_writer_counts(const struct trace_writer *w, struct rec_end *out);

/* Bytes handed to the file so far. */
int64_t trace_writer_bytes(const struct trace_writer *w);

/* The whole header but target, config and run: tool, argv (secrets removed), host, clock anchor "now". */
struct trace_origin; /* owns the strings */
struct trace_origin *trace_origin_create(int argc, char **argv);
void trace_origin_fill(const struct trace_origin *o, struct rec_header *h);
void trace_origin_free(struct trace_origin *o);

#endif
