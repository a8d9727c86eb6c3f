/*
 * Two answers to one request -> whether they are the same, and where they part.
 */
#ifndef REPLAY_DIFFERENCE_H
#define REPLAY_DIFFERENCE_H

#include "formats/base/arena.h"
#include "replay/answer.h"

/* Characters shown of the text before and after the place where two answers part. */
enum { DIFFERENCE_BEFORE = 32, DIFFERENCE_AFTER = 24 };

/* One of the two answers, from the place on. */
struct difference_side {
	bool ended;            /* its text is over: it said less */
	size_t event;          /* token event that holds the place, from 0; where ended: how many it has */
	int64_t token, tokens; /* first token of that event, from 0, and how many it brought; COUNT_NONE: unknown */
	struct str text;       /* at most DIFFERENCE_AFTER characters */
};

/* The earliest place where they differ. */
struct difference {
	struct channel_key channel;
	size_t chars;          /* characters of the channel that agree */
	struct str before;     /* the last of them */
	struct difference_side a, b; /* the answer in question, and the one it is held against */
};

struct likeness {
	bool identical;        /* every channel's text, and the finish reason where both say one */
	bool same_events;      /* identical, and cut into events alike */
	struct difference first; /* unless identical; strings in the arena given */
};

void answers_compare(const struct answer *a, const struct answer *b, struct arena *store,
		     struct likeness *out);

#endif
