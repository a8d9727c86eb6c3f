/*
 * A request of the source -> the exact body bytes to send.  A recorded body is sent byte
 * for byte unless an option changes it; then it is read and written again as JSON with
 * its keys in their order.  A request that has only lengths gets a synthetic prompt.
 */
#ifndef REPLAY_REQUEST_H
#define REPLAY_REQUEST_H

#include <jansson.h>

#include "formats/base/err.h"
#include "formats/trace/record.h"
#include "formats/wire/api.h"
#include "replay/fit.h"
#include "replay/outputs.h"
#include "replay/prompt.h"

enum { REQUEST_BODY_MAX = 1 << 30 };

/* What the user asked for.  Everything is borrowed. */
struct request_opts {
	const char *model;         /* for every request, or NULL */
	const char *model_default; /* for synthetic requests that name none, or NULL */
	int64_t max_tokens;        /* for every request, or COUNT_NONE */
	bool ignore_eos;           /* asks the engine for the full output length: the limit, or as recorded */
	enum engine_kind engine;   /* whose words say that */
	bool stream;               /* makes recorded requests stream, with usage */
	json_t *extra;             /* object whose members replace those of each body, or NULL */
	enum api_kind endpoint;    /* for synthetic requests; API_NONE: as recorded, else chat */
	const struct fit *fit_chat, *fit_completions; /* of exact lengths, or NULL: by tokens.h */
	uint64_t seed;             /* of the prompts, and "seed" of synthetic bodies */
};

/* One request to build.  Borrowed. */
struct request_ask {
	const struct rec_request *req;
	bool synthetic;            /* the body is not used, though there may be one */
	int64_t input_tokens;      /* synthetic: prompt length, at least 1 is sent */
	int64_t output_tokens;     /* expected, or COUNT_NONE */
	const struct prompt_piece *pieces; /* of a synthetic prompt, see source.h; or NULL */
	size_t n_pieces;
	uint64_t number;           /* of the request in the source */
	uint64_t copy;             /* see prompt.h */
	uint64_t salt;             /* recorded: kept apart from other salts in a prefix cache; 0: none */
	bool unshared;             /* synthetic: the prompt shares nothing, whatever its blocks */
};

/* What the body says.  model is owned; release with request_facts_release(). */
struct request_facts {
	enum api_kind api;
	char *model;               /* or NULL */
	bool stream;
	int64_t choices;
	int64_t max_tokens;        /* or COUNT_NONE */
	int64_t output_tokens;     /* expected, or COUNT_NONE */
};
void request_facts_release(struct request_facts *f);

/* Path of the request, as "/v1/chat/completions"; borrowed from ask or static. */
struct str request_endpoint(const struct request_opts *o, const struct request_ask *ask);

/*
 * Puts the body into out (cleared first).  facts may be NULL.  0, or -1: out of memory, or
 * a recorded body that must be changed but is no JSON object.
 */
int request_build(const struct request_opts *o, const struct prompt *p,
		  const struct request_ask *ask, struct buf *out,
		  struct request_facts *facts, struct err *e);

#endif
