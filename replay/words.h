/*
 * The text that the simulated engine makes: a stream of words, each exactly one token
 * (tokens.h), the same for the same seed, request and choice.
 */
#ifndef REPLAY_WORDS_H
#define REPLAY_WORDS_H

#include <stddef.h>

#include "formats/base/rng.h"
#include "formats/base/str.h"

struct words {
	struct rng rng;
	bool begun;
};

/* digest: hex digits of the request body's digest. */
void words_init(struct words *w, uint64_t seed, const char *digest, uint64_t choice);
/* The next word, with a space in front unless it is the first; lasts for ever. */
struct str words_next(struct words *w);

#endif
