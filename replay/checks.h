/*
 * Did the engine get and give what the plan says?  Counted over the ok responses of a phase:
 * prompts made to an exact length, outputs forced to one, and prompts that should have been
 * new to it but came out of its prefix cache.
 */
#ifndef REPLAY_CHECKS_H
#define REPLAY_CHECKS_H

#include "replay/plan.h"

struct checks {
	size_t prompts_off, outputs_off, cached;
	int64_t asked, got;      /* of the first prompt that is off */
};

/* last: of request i of the plan. */
void checks_add(struct checks *c, const struct plan *p, size_t i, const struct rec_response *last);

/* For a phase's verdict: what is wrong, or NULL. */
const char *checks_mark(const struct checks *c);

/* One line that says all of it; "" if nothing is wrong. */
void checks_text(const struct checks *c, char *out, size_t size);

#endif
