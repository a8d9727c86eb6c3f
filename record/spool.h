/*
 * A bounded queue with a thread of its own at the far end, so that whoever fills it never
 * waits for a disk.  What an item is, only the two ends know.
 *
 * The bound is in bytes as the caller counts them.  An item that does not fit is refused;
 * one that is larger than the whole bound is taken when nothing waits.
 */
#ifndef RECORD_SPOOL_H
#define RECORD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

/* Stands first in what the caller pushes; the spool fills it. */
struct spool_item {
	struct spool_item *next;
	int64_t pushed_ns; /* CLOCK_MONOTONIC */
	size_t bytes;
};

/* The far end; both are called in the spool's thread, and may block. */
struct spool_sink {
	void *arg;
	void (*take)(void *arg, struct spool_item *item); /* the item is the sink's now */
	void (*flush)(void *arg); /* at least every SPOOL_FLUSH_MS after a take(), if that returned */
};

enum { SPOOL_FLUSH_MS = 250 };

struct spool_state {
	int64_t items, bytes;  /* waiting, the one being taken included */
	int64_t oldest_ns;     /* age of the oldest of them; 0: none waits */
};

struct spool;

struct spool *spool_create(size_t max_bytes, const struct spool_sink *sink, struct err *e);
/*
 * Never blocks.  False: full, the item stays the caller's.  urgent: an item that must not
 * get lost (an end of a file), taken beyond the bound.
 */
bool spool_push(struct spool *s, struct spool_item *item, size_t bytes, bool urgent);
void spool_look(struct spool *s, struct spool_state *out);
/* Waits until all is taken.  True, or false after so long. */
bool spool_wait(struct spool *s, int64_t timeout_ns);
/* Waits until all is taken, ends the thread, frees. */
void spool_free(struct spool *s);

#endif
