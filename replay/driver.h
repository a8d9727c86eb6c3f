/*
 * Runs a plan against an engine: phase after phase, each drained before the next begins,
 * and writes what happens.
 *
 * Closed loop: a request is sent when one of C slots is free, strictly in the plan's
 * order; a turn of a session waits for the turn before it, and what stands behind it in
 * the plan waits too, since order goes before load.
 * Recorded timing: a request is handed over at its deadline, counted from the phase's
 * begin; where C caps it, it then waits for a slot, and the trace keeps both times.
 */
#ifndef REPLAY_DRIVER_H
#define REPLAY_DRIVER_H

#include "replay/runlog.h"
#include "replay/tally.h"

struct drive_opts {
	int64_t connect_timeout_ns, idle_timeout_ns, total_timeout_ns; /* 0: none */
	bool quiet, verbose;
};

enum drive_result {
	DRIVE_COMPLETE,    /* every request was sent and ended, however */
	DRIVE_INTERRUPTED, /* by SIGINT or SIGTERM; what was in flight is cancelled */
	DRIVE_NO_ENGINE,   /* the first requests of a phase all found nobody to connect to */
	DRIVE_FAILED,      /* the trace could not be written, or out of memory: err says it */
};

/*
 * epoch_ns: the trace's epoch.  A phase record is written at each begin and end.  The
 * second signal ends the process at once.
 */
enum drive_result drive(const struct runlog *log, const struct drive_opts *o, int64_t epoch_ns,
			struct tally *tally, struct err *e);

#endif
