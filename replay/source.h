/*
 * The source of a replay: a trace in memory, reduced to what can be sent again.  Left out
 * are the warm-up requests of an earlier run and whatever is no chat or completions request.
 */
#ifndef REPLAY_SOURCE_H
#define REPLAY_SOURCE_H

#include "formats/base/digest.h"
#include "formats/trace/exchanges.h"
#include "replay/prompt.h"

struct source_item {
	const struct exchange *x;
	int64_t id;            /* its id in the trace; its place, if the trace has several segments */
	int64_t arrival_ns;    /* from the first segment's epoch, or NS_NONE */
	int64_t parent;        /* index of an item before this one, or -1 */
	bool synthetic;        /* it has lengths but no body */
	bool redacted;         /* its body is not the one that was sent */
	int64_t input_tokens;  /* as imported, else as the engine counted them, else estimated; or COUNT_NONE */
	int64_t output_tokens; /* likewise */
	struct prompt_piece *pieces; /* owned; NULL: its blocks, if it has any, say all (pieces.h) */
	size_t n_pieces;
};

struct source {
	struct trace_data d;
	struct source_item *items;
	size_t n;
	size_t warmups, foreign; /* left out */
	size_t redacted;       /* bodies that a recorder changed */
	size_t estimated;      /* prompt lengths that nobody counted */
	char digest[DIGEST_HEX + 1]; /* SHA-256 of the trace's bytes */
};

/*
 * Loads path ("-": stdin).  0, or -1; a trace that just stops is refused unless
 * allow_cut is set, and then *cut tells (err says where).
 */
int source_load(const char *path, bool allow_cut, struct source *s, bool *cut, struct err *e);
/* SHA-256 of a file's bytes.  0 or -1. */
int source_digest(const char *path, char hex[DIGEST_HEX + 1], struct err *e);
/* The pure part: s->d and s->digest are set, the rest is filled.  0 or -1. */
int source_fill(struct source *s, struct err *e);
void source_release(struct source *s);

/* True if every item says when it arrived. */
bool source_has_arrivals(const struct source *s);

#endif
