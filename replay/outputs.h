/*
 * Exact outputs: how each engine is told to answer with a given number of tokens, and how it
 * is known which engine it is.
 */
#ifndef REPLAY_OUTPUTS_H
#define REPLAY_OUTPUTS_H

#include <jansson.h>

#include "replay/probe.h"
#include "replay/talk.h"

enum engine_kind {
	ENGINE_UNKNOWN,  /* ignore_eos, which most know */
	ENGINE_VLLM,     /* ignore_eos, min_tokens; cache_salt */
	ENGINE_SGLANG,   /* the same words */
	ENGINE_LLAMACPP, /* ignore_eos, n_predict; cache_prompt */
	ENGINE_OPENAI,   /* the limit, and nothing else: unknown members are refused there */
};
/* "vllm", ...; "unknown". */
const char *engine_kind_name(enum engine_kind k);

/* From what the probe heard, else asking what only one of them answers.  0 or -1 (out of memory). */
int outputs_detect(struct talk *k, const struct probe *p, enum engine_kind *out, struct err *e);

/* From a name as in owned_by or a Server header; the pure part. */
enum engine_kind outputs_engine_of(const char *name);

/* Sets what makes root's answers `limit` tokens long (COUNT_NONE: as long as its limit says). */
void outputs_force(json_t *root, enum engine_kind k, int64_t limit);

/* Sets what keeps root from sharing a prefix with other salts.  false: this engine knows no word for it. */
bool outputs_salt(json_t *root, enum engine_kind k, const char *salt);

#endif
