/*
 * A recorder, as its two files see it: recorder.c (records in, state out) and segments.c (the
 * files that they go to, by jobs in the queue).
 */
#ifndef RECORD_SEGMENTS_H
#define RECORD_SEGMENTS_H

#include "record/files.h"
#include "record/flight.h"
#include "record/recorder.h"

enum { NO_SLOT = -1 };

/* A file as the loop sees it: what it will be once all jobs pushed so far are done. */
struct seg {
	bool open, failed, retired;  /* retired: takes no new exchanges */
	int64_t opened_ns, retired_ns; /* CLOCK_MONOTONIC */
	int64_t serial, requests, running, dropped, first_id;
};

struct recorder {
	struct recorder_opts o;
	struct files *files;
	struct spool *spool;
	struct flights flights;
	struct seg seg[FILES_MAX];
	int current;                 /* slot, or NO_SLOT */
	int64_t serial;              /* files so far */
	int64_t dropped;             /* not even queued */
	int64_t told;                /* failures that the caller was told of */
	struct files_state seen;
};

/* The file that takes new exchanges; NULL: none. */
static inline struct seg *current(struct recorder *r)
{
	return r->current == NO_SLOT ? NULL : &r->seg[r->current];
}

/* Queues a record for a file.  False: it was not taken. */
bool seg_put(struct recorder *r, int slot, const struct record *rec, bool urgent);
/* Opens the next file, which takes new exchanges from now on. */
void seg_open(struct recorder *r, int64_t mono_ns, int64_t wall_ns);
/* The current file takes no new ones; it is closed at once if none is running. */
void seg_retire(struct recorder *r, int64_t mono_ns);
/* With its end record; nothing of it may be running.  t_ns: from the epoch. */
void seg_close(struct recorder *r, int slot, int64_t t_ns, bool interrupted);
/* What still runs gets an end in this file; what comes of it later is dropped. */
void seg_cut(struct recorder *r, int slot, int64_t t_ns);

#endif
