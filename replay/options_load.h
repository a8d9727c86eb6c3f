/* Options of the load: how many requests, and when each is sent. */
#ifndef REPLAY_OPTIONS_LOAD_H
#define REPLAY_OPTIONS_LOAD_H

#include "formats/base/opt.h"
#include "replay/plan.h"

struct options_load {
	struct opt_counts levels, counts;
	int timing;
	double speed;
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_load_rows(struct options_load *o, struct opt *rows);
/* After parsing: completes o, or exits with 2. */
void options_load_check(struct options_load *o);
/* What the plan needs of it; the arrays are borrowed from o. */
void options_load_plan(const struct options_load *o, struct plan_opts *p);
void options_load_release(struct options_load *o);

#endif
