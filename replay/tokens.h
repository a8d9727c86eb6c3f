/*
 * The simulated engine's tokenizer, and the rule by which synthetic prompts reach an
 * asked length.  It is no model's tokenizer: on a real engine a synthetic prompt comes
 * out near the asked length, not at it, and usage tells the truth.
 *
 * A token is, greedily from the left: one optional space with the run of letters (ASCII
 * letters and bytes >= 0x80) after it; or a run of one to three digits; or a run of other
 * white space; or any other single byte.
 */
#ifndef REPLAY_TOKENS_H
#define REPLAY_TOKENS_H

#include <stdint.h>

#include "formats/base/str.h"

/* Tokens in the text. */
int64_t tokens_count(struct str text);
/* Bytes of the first token of the text; 0 only at its end. */
size_t tokens_next(struct str text);

#endif
