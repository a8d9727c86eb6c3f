/*
 * A simulated engine's figures: the profile file <-> struct profile.  The file is text,
 * one "key = value" a line, "#" starts a comment; its first key is the format's version.
 * Every key but `model` has a default (profile_init()), so that a profile says only what
 * it knows.  Values are plain decimal numbers, in the unit that the key names.
 */
#ifndef REPLAY_PROFILE_H
#define REPLAY_PROFILE_H

#include <stdint.h>

#include "formats/base/err.h"
#include "formats/base/str.h"

enum { PROFILE_VERSION = 1, PROFILE_NAME_MAX = 255, PROFILE_FILE_MAX = 1 << 20 };

/*
 * What a step costs: the engine computes in steps, each over all requests that run.
 *
 *   step = step_base_us + step_sequence_us * decodes + step_context_ns * their contexts
 *        + prefill_token_us * chunk tokens + prefill_pair_ns * pairs of the chunk
 *
 * pairs: for each token of a prompt, the tokens before it that it attends to.
 */
struct profile {
	char model[PROFILE_NAME_MAX + 1];  /* name that /v1/models gives */
	int64_t max_model_len;       /* tokens of prompt and output together */
	int64_t max_num_seqs;        /* slots: requests that run at once */
	int64_t max_batched_tokens;  /* tokens that one step computes: decodes first, then chunks of prompts */
	int64_t kv_tokens;           /* KV cache, tokens */
	int64_t block_tokens;        /* KV block, tokens */
	int64_t prefix_cache;        /* 1: prompts that begin alike share their KV; 0: not */
	double step_base_us;         /* us per step, whatever it holds */
	double step_sequence_us;     /* us per request that decodes */
	double step_context_ns;      /* ns per token of context of the requests that decode */
	double prefill_token_us;     /* us per prompt token */
	double prefill_pair_ns;      /* ns per pair (see above) */
	double request_us;           /* us from arrival to the engine's queue, per request ... */
	double request_token_us;     /* ... and per prompt token (reading, tokenizing) */
	double jitter;               /* a step takes 1 - jitter .. 1 + jitter of its time, uniform */
	int64_t output_tokens;       /* length of an answer whose request asks for none */
};

/* Neutral defaults; the model is "simulated". */
void profile_init(struct profile *p);

/* 0, or -1: err names line, key, cause and remedy. */
int profile_parse(struct str text, struct profile *p, struct err *e);
/* The same from a file; err begins with its name. */
int profile_load(const char *path, struct profile *p, struct err *e);

#endif
