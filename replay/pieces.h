/*
 * What the prompts of a trace recorded without text are made of, so that they share what the
 * recorded ones shared and have as many tokens as the engine counted.
 *
 * A piece is text of its own for each id (replay/prompt.h).  A prefix block is one piece, of
 * its share, by its bytes, of the tokens that its first request has beyond the blocks known
 * before: the trace has only an estimate for all (toktrace(5)).  It has the same length in all
 * requests, else what they share would not be the same text.
 *
 * The last block of a prompt is partial and of no other prompt.  But a turn begins with the
 * whole prompt of its parent: its block at that place is the piece of the parent's partial
 * block, and one more.
 */
#ifndef REPLAY_PIECES_H
#define REPLAY_PIECES_H

#include "replay/source.h"

/*
 * Fills the pieces of the items whose blocks were cut from text, in the trace's order, and
 * input_tokens where the engine counted nothing, by the bytes a token of the others (four,
 * if there are none).  0, or -1: out of memory.
 */
int pieces_fill(struct source *s);

#endif
