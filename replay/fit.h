/*
 * Synthetic prompts of exactly the asked number of tokens, as an engine counts them, with no
 * tokenizer here.
 *
 * Tokenizers cut text at its spaces before anything else, so a prompt has as many tokens as
 * its words have, each with its leading space and trailing punctuation, and what the chat
 * template adds.  A fit is what each word of our text costs.  A group of words that has as
 * many tokens as words costs 1 each: where words are tokens, few questions are needed, and
 * never more than words.  A prompt is then put together from words, and filled to its length
 * with words of one token.  That lengths do add up is checked on whole prompts.
 *
 * Prompts are made of pieces as in prompt.h, and share what those share.
 */
#ifndef REPLAY_FIT_H
#define REPLAY_FIT_H

#include "formats/base/err.h"
#include "replay/prompt.h"

struct fit;

/* Tokens of a prompt of this text, all that surrounds it included; or -1 and err. */
typedef int64_t fit_count(void *arg, struct str text, struct err *e);

/* NULL: err says why.  seed: of the whole prompts that are tried, like none of a plan's. */
struct fit *fit_create(fit_count *count, void *arg, uint64_t seed, struct err *e);
void fit_free(struct fit *f);

/* The shortest prompt there is, in tokens. */
int64_t fit_least(const struct fit *f);

/* Appends the text; one that cannot be so short is as short as can be.  0, or -1: out of memory. */
int fit_make(const struct fit *f, const struct prompt_ask *ask, struct buf *out);

/*
 * Tries a whole prompt of that many tokens.  0: it has them.  -1: it has not, or could not
 * be counted; err says it.
 */
int fit_check(const struct fit *f, fit_count *count, void *arg, int64_t tokens, struct err *e);

#endif
