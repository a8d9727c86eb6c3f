/* How each protocol spells what a request asks for: the prompt, the limit, what streams. */
#ifndef REPLAY_SPELLING_H
#define REPLAY_SPELLING_H

#include <jansson.h>

#include "formats/base/str.h"
#include "formats/wire/api.h"

struct spelling {
	enum api_kind api;
	const char *path;       /* where it is sent, if the trace does not say */
	const char *prompt;     /* member of the prompt */
	bool messages;          /* a list of messages, else a text */
	const char *limit;      /* of the output's length */
	const char *options;    /* object that has the limit, temperature and seed; NULL: the body */
	bool seed;              /* may be given */
	bool usage;             /* has to be asked for when it streams */
	int64_t limit_default;  /* where a limit has to be given; COUNT_NONE: not */
};

/* Of the kind; chat's for API_NONE. */
const struct spelling *spelling_of(enum api_kind api);

/* The member of the body that holds limit and sampling; with make it is made if it is not there. */
json_t *spelling_options(const struct spelling *s, json_t *body, bool make);
/* The limit's name in this body: chat has two. */
const char *spelling_limit(const struct spelling *s, const json_t *body);
/* Body members of a synthetic request: prompt, limit (or COUNT_NONE), stream, seed.  0 or -1. */
int spelling_fill(const struct spelling *s, json_t *body, struct str prompt, int64_t limit, uint64_t seed);

#endif
