/*
 * How many tokens each prefix block of a trace recorded without text stands for.  The trace
 * says how many bytes of text (an estimate of 512 tokens), the engine counted the whole
 * prompt; so a block gets its share of what its first request has beyond the blocks known
 * before.  A block has one length in all requests, else what they share would not be the same
 * text, and each prompt gets as many tokens as the engine counted.
 */
#ifndef REPLAY_BLOCKLENS_H
#define REPLAY_BLOCKLENS_H

#include "replay/source.h"

/*
 * Fills block_lens of the items whose blocks were cut from text, in the trace's order, and
 * input_tokens where the engine counted nothing, by the bytes a token of the others (four,
 * if there are none).  0, or -1: out of memory.
 */
int blocklens_fill(struct source *s);

#endif
