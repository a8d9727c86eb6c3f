/*
 * Ids of a prompt's KV blocks, as engines make them for their prefix cache: each whole
 * block of tokens gets a hash of its tokens and of all before it.
 */
#ifndef REPLAY_BLOCKIDS_H
#define REPLAY_BLOCKIDS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/str.h"

struct blockids {
	int64_t block_tokens;  /* 0: count only */
	int64_t tokens;        /* so far */
	uint64_t hash;         /* of everything so far */
	uint64_t *ids;         /* owned */
	size_t n, cap;
};

void blockids_init(struct blockids *b, int64_t block_tokens);
void blockids_release(struct blockids *b);
/* The tokens of a text, by tokens.h. */
void blockids_text(struct blockids *b, struct str text);
/* One token given by its id. */
void blockids_token(struct blockids *b, int64_t id);
/* What is no token of the count but makes prompts differ: a role, a boundary. */
void blockids_mark(struct blockids *b, struct str mark);

#endif
