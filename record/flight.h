/*
 * The exchanges whose request was recorded and whose response has not ended: which file
 * each belongs to, and whether a part of it got lost.
 */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLIGHT_NOWHERE = -1 };

struct flight {
	int64_t id;
	int file;        /* slot of its file, or FLIGHT_NOWHERE: its request was not written */
	int64_t parts;   /* response parts given to the file */
	bool lost;       /* one did not get there: the rest must not follow */
	bool over;       /* ended; its place is taken back later */
};

/* Sorted by id.  Start with struct flights f = {0}. */
struct flights {
	struct flight *v;
	size_t n, cap, n_over;
};

/* Ids come rising, or nearly so.  The entry, valid until the next add; NULL: out of memory. */
struct flight *flights_add(struct flights *f, int64_t id, int file);
/* NULL: not in flight. */
struct flight *flights_find(struct flights *f, int64_t id);
void flights_end(struct flights *f, struct flight *x);
void flights_release(struct flights *f);

#endif
