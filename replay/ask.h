/*
 * What an inference request asks of a simulated engine, read from its JSON body with the
 * defaults and refusals of vLLM.
 */
#ifndef REPLAY_ASK_H
#define REPLAY_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"
#include "formats/wire/api.h"
#include "replay/blockids.h"

enum { ASK_CHOICES_MAX = 64 };

struct ask {
	bool stream, include_usage, continuous_usage, ignore_eos;
	struct blockids prompt;  /* its block ids */
	int64_t prompt_tokens;   /* at least 1 */
	int64_t max_tokens;      /* COUNT_NONE: not said */
	int64_t min_tokens;      /* 0: not said */
	int64_t n;
	char model[256];         /* as asked; "" if not said */
};

/*
 * block_tokens: for the prompt's block ids; 0: none.  0, or -1: the message is for the
 * client (HTTP 400).  ask_release() in both cases.
 */
int ask_parse(struct str body, enum api_kind api, int64_t block_tokens, struct ask *out,
	      struct err *e);
void ask_release(struct ask *a);

#endif
