/*
 * The files of a recording, at the far end of its spool: opened, written and finished by
 * jobs, in the order in which they were pushed, in the spool's thread.  Each file has a
 * slot, a small number that the recorder gives.
 *
 * A file with a time in its name is NAME.part while it is written and renamed when it is
 * finished and synced; an existing file is never written over.  A file that cannot be
 * written is left as it is; its further records are counted as lost.
 */
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include "formats/trace/writer.h"
#include "record/spool.h"

enum { FILES_MAX = 16 };

enum file_job { FILE_OPEN, FILE_RECORD, FILE_CLOSE };

/* malloc()ed; freed by the sink. */
struct file_item {
	struct spool_item item; /* first */
	enum file_job job;
	int slot;
	int64_t serial;             /* FILE_OPEN: of the file; a slot has many in its time */
	struct trace_packed packed; /* FILE_OPEN: the header; FILE_RECORD: the record */
	int64_t wall_ns;            /* FILE_OPEN: for its name */
	bool stamped;               /* FILE_OPEN: the time stands in the name */
	struct rec_end end;         /* FILE_CLOSE: all but the counts of records */
};

void file_item_free(struct file_item *it);

struct files_state {
	struct {
		int64_t serial;     /* of the file that the rest is about */
		bool failed;
		int64_t bytes;      /* written so far */
	} slot[FILES_MAX];
	bool regular;               /* the file opened last is one that can be finished and renamed */
	int64_t bytes, finished, failures; /* of all files: bytes written, files finished, failures */
	int64_t lost;               /* records taken but not written */
	char current[256];          /* name of the file opened last, as it will be when finished */
	char why[512];              /* the last failure: file, cause; "" if none */
};

struct files;

/* force: an existing file may be overwritten by the first one.  path is borrowed. */
struct files *files_create(const char *path, bool force);
/* What the spool calls. */
struct spool_sink files_sink(struct files *f);
/* From any thread. */
void files_look(struct files *f, struct files_state *out);
/* When the spool is gone. */
void files_free(struct files *f);

#endif
