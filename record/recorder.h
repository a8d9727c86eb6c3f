/*
 * The trace that a recording proxy writes.  A disk that is full ends the recording, never
 * the proxying: what is lost from then on is counted.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "formats/trace/writer.h"

struct recorder {
	struct trace_writer *w;
	bool failed;
	int64_t dropped;   /* records not written after the failure */
	struct err why;
};

/* Opens the file and writes the header.  0 or -1. */
int recorder_open(struct recorder *r, const char *path, const struct rec_header *h, struct err *e);
void recorder_put(struct recorder *r, const struct record *rec);
/* At least twice a second: what was recorded can be read a second later. */
void recorder_tick(struct recorder *r);
/* The end record, then the file.  0, or -1 if anything failed from the first record on. */
int recorder_close(struct recorder *r, int64_t t_ns, bool interrupted, struct err *e);

#endif
