/*
 * What a response said, as texts that can be compared: one per choice and channel (answer,
 * thinking, refusal, and of each tool call its name and its arguments), with the token
 * event that each piece came in.  Ids of tool calls, which are new in every run, and where
 * the engine cut its text into events, are no part of the texts.
 */
#ifndef REPLAY_ANSWER_H
#define REPLAY_ANSWER_H

#include "formats/trace/record.h"

enum channel_kind { CH_REASONING, CH_CONTENT, CH_REFUSAL, CH_TOOL_NAME, CH_TOOL_ARGUMENTS, CH_FINISH };

struct channel_key {
	int32_t choice;
	enum channel_kind kind;
	int64_t call;          /* index of the tool call, else 0 */
};

struct answer_channel {
	struct channel_key key;
	struct buf text;       /* CH_FINISH: the finish reason */
};

/* Where a run of a channel's bytes came from. */
struct answer_piece {
	size_t channel, off;   /* it begins at this byte of the channel's text */
	size_t event;          /* token event, from 0, over all choices and channels */
	int64_t token, tokens; /* first token of the event, from 0, and how many; COUNT_NONE: unknown */
};

struct answer {
	struct answer_channel *channels;
	size_t n_channels, cap_channels;
	struct answer_piece *pieces; /* in the order of the stream */
	size_t n_pieces, cap_pieces;
	size_t n_events;       /* token events */
	bool has_text;         /* false: the trace keeps none, and there is nothing to compare */
};

/* 0, or -1: out of memory.  Released in any case. */
int answer_of(const struct rec_response *r, struct answer *a);
void answer_release(struct answer *a);

/* The channel's text, or an empty one. */
struct str answer_text(const struct answer *a, struct channel_key k);
/* The piece that holds this byte of the channel; NULL: the text ends before it. */
const struct answer_piece *answer_piece_at(const struct answer *a, struct channel_key k, size_t off);

/* "content", "tool 1 arguments", ...; with several choices "choice 1 content". */
void channel_name(struct channel_key k, char *out, size_t size);

#endif
