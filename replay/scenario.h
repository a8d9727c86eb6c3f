/*
 * Request-length scenarios: loads that need no trace, each a prompt length and an answer
 * length ("8k:256").  Prompts are synthetic, and no two are alike.
 */
#ifndef REPLAY_SCENARIO_H
#define REPLAY_SCENARIO_H

#include "replay/source.h"

enum { SCENARIO_LABEL_MAX = 32 };

struct scenario {
	int64_t input_tokens, output_tokens; /* at least 1 each */
	char label[SCENARIO_LABEL_MAX];      /* as the user wrote it */
};

/* "1k:128,8k:256" -> an array that the caller frees.  0, or -1: err says what is wrong. */
int scenario_parse(const char *text, struct scenario **out, size_t *n, struct err *e);

/*
 * A source with one item for each scenario; its digest is that of their text.  0, or -1:
 * out of memory, nothing to release.
 */
int scenario_source(const struct scenario *sc, size_t n, struct source *s, struct err *e);

#endif
