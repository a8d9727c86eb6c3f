/*
 * The phases of a run as it goes: what is still in flight of each, and their records.  A
 * phase is over when nothing more of it is sent and all that was has ended; one that
 * follows another without a break begins before that.
 */
#ifndef REPLAY_PHASES_H
#define REPLAY_PHASES_H

#include "replay/checks.h"
#include "replay/runlog.h"

struct phase_state {
	int64_t begin_ns;
	size_t open, ended, cancelled, unsent;
	bool begun, sending, closed, timed_out;
	struct checks checks;
};

struct phases {
	bool quiet;                 /* about phases that are not as planned */
	const struct runlog *log;   /* borrowed */
	struct phase_state *s;      /* of each phase of the plan */
	size_t now;                 /* the latest one begun */
};

/* 0 or -1 (out of memory). */
int phases_init(struct phases *p, const struct runlog *log);
void phases_release(struct phases *p);

/* Writes the record of its begin.  0 or -1. */
int phases_begin(struct phases *p, size_t phase, int64_t begin_ns, struct err *e);
void phases_sent(struct phases *p, size_t i);
void phases_unsent(struct phases *p);
void phases_ended(struct phases *p, size_t i, const struct rec_response *last);
/* Nothing more is sent of the phase at hand; timed_out: since its duration is over. */
void phases_sending_over(struct phases *p, bool timed_out);

/* Writes the end records of the phases that are over.  0 or -1. */
int phases_close(struct phases *p, int64_t now_ns, struct err *e);
/* The run is cut: writes those of all that have begun, with this verdict.  0 or -1. */
int phases_cut(struct phases *p, int64_t now_ns, const char *verdict, struct err *e);

#endif
