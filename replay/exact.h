/*
 * What a run learns from its engine before the plan is made, besides its name: which words
 * it knows (outputs.h), and what prompts cost (fit.h).
 */
#ifndef REPLAY_EXACT_H
#define REPLAY_EXACT_H

#include "replay/options.h"

struct exact {
	enum engine_kind engine;
	struct fit *fit_chat, *fit_completions; /* owned; NULL: not needed, or not to be had */
};

/*
 * Asks as far as the options need it.  po: the plan's options without what is found here.
 * 0; or -1: exact lengths were asked for and cannot be had, err says why.  Where they are
 * only the default, that is said on stderr.  exact_release() in both cases.
 */
int exact_learn(const struct options *o, const struct target *t, const struct probe *p,
		const struct source *s, const struct plan_opts *po, struct exact *x, struct err *e);
void exact_release(struct exact *x);

/* Puts it into the plan's options. */
void exact_plan(const struct exact *x, struct plan_opts *po);

#endif
