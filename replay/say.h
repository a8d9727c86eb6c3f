/* What tokreplay tells its user: about the source before a run, the plan, the result. */
#ifndef REPLAY_SAY_H
#define REPLAY_SAY_H

#include "replay/driver.h"
#include "replay/options.h"

/* cut: where the source is cut, or NULL. */
void say_source(const struct source *s, const struct plan *p, const char *cut, bool quiet);

/* The plan as JSON lines on stdout.  0 or -1. */
int say_plan(const struct plan *p, struct err *e);

/* How many, how long and how fast, on stderr. */
void say_plan_summary(const struct plan *p);

/*
 * The closing line, which also says what the exit code means.  err: why, if the run
 * failed.  Returns the exit code.
 */
int say_result(enum drive_result r, const struct tally *t, const struct health *h,
	       const struct target *target, int64_t took_ns, const struct options *o, const struct err *e);

#endif
