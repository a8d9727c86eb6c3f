/*
 * A load that changes, as a file says it: one stage a line, each at once after the one
 * before.
 *
 *     # comment, and empty lines are skipped
 *     TIME rate R             requests per second
 *     TIME rate R..R [linear|exponential]
 *     TIME concurrency C      requests in flight, a closed loop
 *     TIME concurrency C..C [linear|exponential]
 *     TIME pause              nothing is sent
 *
 * TIME as "30s"; R and C as "5" or "5..50", from begin to end of the stage.
 */
#ifndef REPLAY_STAGES_H
#define REPLAY_STAGES_H

#include <stddef.h>

#include "formats/base/err.h"
#include "replay/schedule.h"

enum { STAGES_MAX = 10000 };

/* What holds for the stages with a rate. */
struct stage_opts {
	enum timing timing;     /* of their arrivals: constant, poisson, gamma */
	double burstiness;
	int64_t concurrency;    /* cap, or COUNT_NONE */
};

/*
 * From the n bytes of a file; name is for errors.  *loads is owned by the caller.  0, or
 * -1: err names the line.
 */
int stages_parse(const char *text, size_t n, const char *name, const struct stage_opts *o,
		 struct load **loads, size_t *n_loads, struct err *e);
/* The same from a path; "-": stdin. */
int stages_load(const char *path, const struct stage_opts *o, struct load **loads, size_t *n_loads,
		struct err *e);

#endif
