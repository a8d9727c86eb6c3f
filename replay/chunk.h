/*
 * Token events -> the bytes of an OpenAI-compatible response: the reverse of
 * formats/wire.  What goes in as events comes back from a parse as the same events, text
 * byte for byte; the rest of the JSON around it is made up.
 */
#ifndef REPLAY_CHUNK_H
#define REPLAY_CHUNK_H

#include "formats/base/buf.h"
#include "formats/wire/api.h"
#include "formats/wire/event.h"

/* What all chunks of a response share; borrowed. */
struct chunk_head {
	enum api_kind api;         /* API_CHAT or API_COMPLETIONS */
	struct str id, model;
	int64_t created_s;         /* Unix time */
	struct str reasoning_key;  /* absent: "reasoning_content" */
	struct usage usage;        /* of the whole response, as far as known */
};

/*
 * Appends one wire event: all events that it carried, in order (the first without
 * EVF_PART, the rest with it).  0, or -1: past the buffer's ceiling.
 */
int chunk_sse(struct buf *out, const struct chunk_head *h, const struct event *parts, size_t n);

/* Appends the JSON body of a response that is not streamed.  0 or -1. */
int chunk_whole(struct buf *out, const struct chunk_head *h, const struct events *ev);

/* Appends a JSON string, quoted; bytes that are no UTF-8 pass as they are. */
int chunk_string(struct buf *out, struct str s);
/*
 * Appends a usage object, members in vLLM's order; what is unknown is left out, the
 * completion null.  completion: instead of u's, or COUNT_NONE.
 */
int chunk_usage(struct buf *out, const struct usage *u, int64_t completion);

#endif
