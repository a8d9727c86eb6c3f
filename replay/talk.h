/*
 * Questions to an engine outside the measured run, one after another: each call waits for
 * the whole answer.  The target's headers and timeouts hold here too.
 */
#ifndef REPLAY_TALK_H
#define REPLAY_TALK_H

#include "replay/target.h"

struct talk;

struct talk_answer {
	int64_t http_status;       /* COUNT_NONE: no answer */
	bool whole;                /* it came to its end */
	struct buf body;           /* as received; of a stream, the stream */
	char server[64];           /* its Server header, or "" */
};

/* The target is borrowed.  NULL: out of memory. */
struct talk *talk_open(const struct target *t, struct err *e);
void talk_close(struct talk *k);

/*
 * path: "/v1/chat/completions", or of the server itself, as "/tokenize": those stand beside
 * the base URL's version, not below it.  body absent: GET.  The answer is borrowed until the
 * next question.  0, or -1: out of memory; an engine that does not answer is no error.
 */
int talk_ask(struct talk *k, struct str path, struct str body, struct talk_answer **out,
	     struct err *e);

#endif
