/* Requests and what was said to them, made by hand, for tests of comparing answers. */
#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include "formats/trace/exchanges.h"

enum { TALK_MAX = 16 };

/* A trace made by hand: three phases, of which the first is a warm-up. */
struct talk {
	struct exchange x[TALK_MAX];
	struct segment segment;
	struct rec_phase phases[3];
	struct trace_data d;
};

void talk_init(struct talk *m);
void talk_release(struct talk *m);

/* An ok exchange without events; body: what stands for its digest. */
struct exchange *ask(struct talk *m, int64_t phase, const char *body);
void add(struct exchange *x, enum event_class cls, int32_t choice, unsigned flags, int64_t cum,
	 const char *text);
void say(struct exchange *x, const char *text);
void finish(struct exchange *x, const char *why, int64_t tokens);

#endif
