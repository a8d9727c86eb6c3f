/* Options of the load: how many requests, and when each is sent. */
#ifndef REPLAY_OPTIONS_LOAD_H
#define REPLAY_OPTIONS_LOAD_H

#include "formats/base/opt.h"
#include "replay/plan.h"

/* A choice that was not made. */
enum { OPTION_UNSAID = -1 };

struct options_load {
	/* As given; NS_NONE, NULL, NaN, OPTION_UNSAID: not. */
	struct opt_counts levels, counts;
	int timing, pattern, ramp_shape;
	const char *rates, *burstiness, *stages, *think, *shard_text, *start_at;
	double speed, ramp_start_hz, ramp_end_hz;
	int64_t cap_ramp_ns, duration_ns, grace_ns, max_gap_ns, from_ns, to_ns;
	bool lanes, live_history;

	/* What it comes to. */
	struct load *loads;
	size_t n_loads;
	struct shard shard;
	int64_t start_wall_ns, think_ns;
	bool think_recorded;
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_load_rows(struct options_load *o, struct opt *rows);
/* After parsing: completes o, or exits with 2. */
void options_load_check(struct options_load *o);
/* Sets o's loads from what was given, or exits with 2.  Part of options_load_check(). */
void options_load_shape(struct options_load *o);
/* What the plan needs of it; the arrays are borrowed from o. */
void options_load_plan(const struct options_load *o, struct plan_opts *p);
void options_load_release(struct options_load *o);

#endif
