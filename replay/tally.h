/*
 * Counts of a run as it goes: what progress and the closing summary show.
 */
#ifndef REPLAY_TALLY_H
#define REPLAY_TALLY_H

#include "formats/trace/record.h"

enum { TALLY_KINDS = 16, TALLY_KIND_MAX = 48, TALLY_TEXT_MAX = 160 };

struct tally_kind {
	char kind[TALLY_KIND_MAX]; /* "http_503", ... */
	char text[TALLY_TEXT_MAX]; /* of the first one */
	int64_t n;
};

struct tally {
	int64_t planned, done, ok;
	int64_t ran_out;       /* phases that had nothing more to send before their time was over */
	int64_t token_events;  /* content, reasoning, tool calls, refusals, so far */
	int64_t output_tokens; /* of ended requests: as the engine counted, else their token events */
	struct tally_kind kinds[TALLY_KINDS]; /* the last one gathers what does not fit */
	size_t n_kinds;
};

/* A response record, part or last; events: token events of its parts before it, updated. */
void tally_add(struct tally *t, const struct rec_response *r, int64_t *events);

/* "3 http_503, 1 connect", or "" if nothing failed; cut to fit. */
void tally_failures(const struct tally *t, char *out, size_t size);

#endif
