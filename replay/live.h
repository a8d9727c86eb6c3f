/*
 * Live history: a turn is sent with what the assistant said in this run, where the
 * recorded body has what it said when it was recorded.
 *
 * A turn's recorded messages are those of its parent, the recorded answer, and what the
 * user says next.  Sent are the messages that the parent was sent with, the answer of
 * this run, and what the user says next.  Where the recording does not have that form, or
 * its answer called tools (whose results follow), or there was no answer in this run, the
 * recorded answer stays.
 */
#ifndef REPLAY_LIVE_H
#define REPLAY_LIVE_H

#include "replay/plan.h"

struct live;

/* The plan is borrowed.  NULL: out of memory. */
struct live *live_create(const struct plan *p);
void live_free(struct live *l);

/*
 * The body of request i, which is about to be sent: planned is what the plan says.  1: out
 * (cleared first) holds another one; 0: the planned one is right; -1: out of memory.
 */
int live_body(struct live *l, size_t i, struct str planned, struct buf *out, struct err *e);

/* Each response record, part or last, of request i.  0 or -1 (out of memory). */
int live_response(struct live *l, size_t i, const struct rec_response *r);

#endif
