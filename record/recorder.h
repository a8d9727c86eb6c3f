/*
 * What a recording proxy keeps, on its way to the trace files.  The caller's loop never
 * waits for a disk: records are encoded and put in a bounded queue (spool.h), which a
 * thread of its own writes (files.h).
 *
 * What is lost is said.  A record that finds the queue full is dropped and counted, the
 * rest of its exchange with it, and that exchange ends in the trace with the error kind
 * "not_recorded".  A file that cannot be written is given up where it is; recording goes
 * on in a new one at the next rotation or recorder_reopen().
 *
 * After a rotation an exchange stays with the file that has its request, so that each
 * file is a whole trace; the old one is finished when its last exchange has ended, or
 * after a grace time.  All files of a recorder have one epoch and one run of ids.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "formats/trace/writer.h"
#include "record/rotate.h"

struct recorder;

struct recorder_opts {
	const char *path;              /* "-": stdout.  Borrowed, as is the header, until recorder_close() */
	const struct rec_header *header;
	int64_t queue_bytes;
	struct rotate rotate;
	int64_t grace_ns;              /* how long a file waits for its exchanges after a rotation */
	bool force;                    /* an existing file may be overwritten */
};

/* Touches no file yet.  NULL and err. */
struct recorder *recorder_create(const struct recorder_opts *o, struct err *e);
/* Opens the first file and writes its header.  0 or -1; a FIFO waits for its reader. */
int recorder_open(struct recorder *r, struct err *e);
/* Never waits. */
void recorder_put(struct recorder *r, const struct record *rec);
/*
 * Goes on in a new file; a fixed name is taken again if the old file was moved away.
 * False: what it writes is a pipe that works; there is nothing to do.
 */
bool recorder_reopen(struct recorder *r, int64_t mono_ns, int64_t wall_ns);
/* Twice a second: rotation, and news of failures. */
void recorder_tick(struct recorder *r, int64_t mono_ns, int64_t wall_ns);

struct recorder_state {
	int64_t queue_records, queue_bytes, lag_ns; /* waiting; age of the oldest of them */
	int64_t dropped;               /* records not written, for whatever cause */
	int64_t file_bytes, bytes;     /* of the current file; of all */
	int64_t files_open, files_finished, failures;
	bool failed;                   /* nothing is recorded at present */
	char file[256];                /* the current one */
};
void recorder_look(struct recorder *r, struct recorder_state *out);
/* A failure that nobody was told of yet: file, cause, what to do.  True and why. */
bool recorder_news(struct recorder *r, struct err *why);

/*
 * End records, then the files are finished.  0, or -1: something was not recorded; err says
 * what.  -2: after wait_ns the disk still did not take what waits; the thread is left in the
 * middle of its write, and the caller ends the process with _exit().
 */
int recorder_close(struct recorder *r, int64_t t_ns, bool interrupted, int64_t wait_ns, struct err *e);

#endif
