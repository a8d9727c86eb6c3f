/* Options of what is asked: the bodies of requests, and the requests around the measured ones. */
#ifndef REPLAY_OPTIONS_BODY_H
#define REPLAY_OPTIONS_BODY_H

#include "formats/base/opt.h"
#include "replay/options_load.h"

/* --exact-prompts off stands behind the ways of enum tokenize_how. */
enum { EXACT_OFF = 3 };

struct options_body {
	const char *model, *extra_body;
	int endpoint;
	int64_t max_tokens, seed, warmups;
	bool ignore_eos, stream;
	int engine;      /* enum engine_kind less 1, or OPTION_UNSAID: ask it */
	int exact;       /* enum tokenize_how, EXACT_OFF or OPTION_UNSAID */
	bool exact_said; /* by the user */
	json_t *extra;   /* extra_body parsed, or NULL */
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_body_rows(struct options_body *o, struct opt *rows);
/* After parsing: completes o, or exits with 2. */
void options_body_check(struct options_body *o);
/* What the plan needs of it; borrowed from o.  default_model: "" if unknown. */
void options_body_plan(const struct options_body *o, const char *default_model,
		       struct plan_opts *p);
void options_body_release(struct options_body *o);

#endif
