/*
 * Synthetic prompts: English text of exactly the asked number of tokens by the rule of
 * replay/tokens.h, the same on any machine for the same arguments.
 *
 * A prompt is made of pieces.  A piece is a head of a few words drawn from (seed, copy,
 * what the piece is) and then fixed text from a place drawn alike.  A request with prefix
 * blocks has one piece per block, drawn from the block's id: equal ids give equal text
 * and other ids other text, so the engine can share what the source shared and nothing
 * else.  What no block covers is one more piece, drawn from the request's own number.
 * Copies (levels, passes, warm-up) share nothing with each other.
 */
#ifndef REPLAY_PROMPT_H
#define REPLAY_PROMPT_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

/* A piece of fewer tokens than this has only part of its head, and may equal another one. */
enum { PROMPT_HEAD_TOKENS = 12 };

struct prompt; /* the fixed text, cut into tokens; never changes once made */

/* NULL: out of memory. */
struct prompt *prompt_create(void);
void prompt_free(struct prompt *p);

struct prompt_piece {
	uint64_t id;
	int64_t tokens;
};

struct prompt_ask {
	int64_t tokens;         /* length; at least 1 */
	uint64_t seed;
	uint64_t copy;          /* which repetition of the source */
	uint64_t request;       /* number of the request in the source */
	int64_t block_tokens;   /* tokens per block, or COUNT_NONE: the blocks are not used */
	const uint64_t *blocks; /* ids, first block first; the last one may be partial */
	size_t n_blocks;
	const struct prompt_piece *pieces; /* instead of blocks, or NULL */
	size_t n_pieces;
};

/* Appends the text, ASCII without quotes, backslashes or line breaks.  0, or -1: out of memory. */
int prompt_make(const struct prompt *p, const struct prompt_ask *ask, struct buf *out);

/* What a prompt is made of: its pieces, besides the last one of its own; and their seed. */
size_t prompt_pieces(const struct prompt_ask *ask);
struct prompt_piece prompt_piece_at(const struct prompt_ask *ask, size_t i);
uint64_t prompt_copy_seed(const struct prompt_ask *ask);

#endif
