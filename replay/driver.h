/*
 * Runs a plan against an engine: phase after phase, and writes what happens.  A phase is
 * drained before the next begins, unless that one follows without a break.  What is sent
 * when is decided in dispatch.h.
 *
 * Where a phase has a duration, nothing is sent after it; what is then in flight may end
 * within the grace, and is cancelled after it.
 */
#ifndef REPLAY_DRIVER_H
#define REPLAY_DRIVER_H

#include "formats/trace/health.h"
#include "replay/runlog.h"
#include "replay/tally.h"

struct drive_opts {
	size_t threads;            /* event loops that send and read; 1: the driver's own */
	int64_t preconnect;        /* connections opened before each phase; COUNT_NONE: one for each slot */
	int64_t grace_ns;
	int64_t start_wall_ns;     /* Unix time at which the first round begins; NS_NONE: at once */
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
 * second signal ends the process at once.  health: the client's own, filled.
 */
enum drive_result drive(const struct runlog *log, const struct drive_opts *o, int64_t epoch_ns,
			struct tally *tally, struct health *health, struct err *e);

#endif
