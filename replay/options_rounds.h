/* Options of how often: scenarios, rounds, the rest between them, the prefix cache. */
#ifndef REPLAY_OPTIONS_ROUNDS_H
#define REPLAY_OPTIONS_ROUNDS_H

#include "formats/base/opt.h"
#include "replay/plan.h"
#include "replay/scenario.h"

struct options_rounds {
	int64_t rounds, cool_down_ns;
	const char *scenario_text;
	int cache;           /* enum cache_mode */

	struct scenario *scenarios; /* what the text comes to; NULL: none */
	size_t n_scenarios;
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_rounds_rows(struct options_rounds *o, struct opt *rows);
/* After parsing: completes o, or exits with 2. */
void options_rounds_check(struct options_rounds *o);
/* What the plan needs of it; borrowed from o. */
void options_rounds_plan(const struct options_rounds *o, struct plan_opts *p);
void options_rounds_release(struct options_rounds *o);

#endif
