/*
 * One line on stderr that says how far a run is, redrawn in place.  Nothing unless
 * stderr is a terminal.
 */
#ifndef REPLAY_PROGRESS_H
#define REPLAY_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/tally.h"

struct progress {
	bool on;
	bool drawn;         /* the line is on the screen */
	int64_t begin_ns;
	int64_t last_ns, last_events; /* at the last redraw, for tokens per second */
};

void progress_init(struct progress *p, bool quiet, int64_t now_ns);
/* The level at hand. */
struct progress_level {
	int64_t concurrency;   /* COUNT_NONE if there is none */
	int64_t left_ns;       /* of its duration; INT64_MAX: it has none */
};
void progress_draw(struct progress *p, const struct tally *t, const struct progress_level *l,
		   int64_t now_ns);
/* Takes the line away, so that something else can be said. */
void progress_clear(struct progress *p);

/*
 * The text alone: "12/64  c=8  ok 11  failed 1  345 tok/s  ETA 12 s"; with a duration, whose
 * planned requests need not all be sent, "12  c=8  ...  12 s left".
 */
void progress_text(const struct tally *t, const struct progress_level *l, double tok_s,
		   int64_t elapsed_ns, char *out, size_t size);

#endif
