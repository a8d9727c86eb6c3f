/*
 * The live view of a recorder: a few lines for a terminal of 80 columns, or one line for
 * a log.  Pure: numbers in, text out.
 */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include "record/recorder.h"
#include "record/stats.h"

enum { WATCH_COLUMNS = 79, WATCH_LINES = 7 };

struct watch_view {
	const struct stats *stats;
	const struct recorder_state *rec;
	const char *listen, *upstream; /* addresses */
	int64_t now_ns;                /* from the epoch */
};

/* WATCH_LINES lines, each ended by '\n' and not longer than WATCH_COLUMNS. */
void watch_screen(const struct watch_view *v, struct buf *out);
/* One line. */
void watch_line(const struct watch_view *v, struct buf *out);
/* What redraws a screen in its place: up over the former one, and each line cleared first. */
void watch_redraw(const struct buf *screen, bool first, struct buf *out);

#endif
