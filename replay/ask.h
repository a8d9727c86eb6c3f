/*
 * What an inference request asks of a simulated engine, read from its JSON body with the
 * defaults and refusals of vLLM.
 */
#ifndef REPLAY_ASK_H
#define REPLAY_ASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"
#include "formats/wire/api.h"

enum { ASK_CHOICES_MAX = 64 };

struct ask {
	bool stream, include_usage, continuous_usage, ignore_eos;
	int64_t prompt_tokens;   /* at least 1 */
	int64_t max_tokens;      /* COUNT_NONE: not said */
	int64_t min_tokens;      /* 0: not said */
	int64_t n;
	char model[256];         /* as asked; "" if not said */
};

/* 0, or -1: the message is for the client (HTTP 400). */
int ask_parse(struct str body, enum api_kind api, struct ask *out, struct err *e);

/* Tokens of a prompt: a string, an array of strings (the first), an array of token ids. -1: none of these. */
int64_t ask_prompt_tokens(const json_t *prompt);
/* Tokens of the contents of chat messages.  -1: not an array of messages. */
int64_t ask_message_tokens(const json_t *messages);

#endif
