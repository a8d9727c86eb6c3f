/*
 * How many tokens an engine makes of a user message (or of a prompt), its chat template
 * included: as usage.prompt_tokens will say.  Asked of the engine's /tokenize, whose shapes
 * differ (vLLM, SGLang, llama.cpp), corrected by what the template adds; or, where there is
 * none that can be trusted, by answers of one token.
 */
#ifndef REPLAY_TOKENIZE_H
#define REPLAY_TOKENIZE_H

#include <jansson.h>

#include "formats/wire/api.h"
#include "replay/talk.h"

enum tokenize_how {
	TOKENIZE_AUTO,     /* the first of these that can be trusted */
	TOKENIZE_ENDPOINT, /* /tokenize */
	TOKENIZE_PROBE,    /* answers of one token */
};

struct tokenize {
	struct talk *talk;       /* all borrowed */
	const char *model;       /* or NULL */
	json_t *extra;           /* members of every body, or NULL */
	enum api_kind api;       /* API_CHAT or API_COMPLETIONS */

	bool probes, messages;   /* how: as found */
	int64_t overhead;        /* what the template adds to /tokenize's count */
	int64_t asked;           /* questions so far */
};

/*
 * Finds out how; the members above the blank line are set.  0, or -1: not to be had that
 * way, err says why.
 */
int tokenize_find(struct tokenize *t, enum tokenize_how how, struct err *e);

/* Tokens of the text: 1 or more; or -1 and err. */
int64_t tokenize_count(struct tokenize *t, struct str text, struct err *e);

/* The pure part: what an answer of /tokenize counts, or COUNT_NONE. */
int64_t tokenize_read(struct str json);

#endif
