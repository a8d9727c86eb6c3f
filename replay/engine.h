/*
 * The engine model: a pure simulation in virtual time, without sockets or a clock, so that
 * a live server and a simulator of millions of requests run the same code.
 *
 *   arrival -> (request cost) -> queue -> slot -> prefill -> decode, in steps
 *
 * Scheduling is chunked prefill, first come first served, as vLLM's default: each step
 * first gives one token to every request that decodes, then fills what is left of
 * max_batched_tokens with chunks of prompts, in order of admission; then it admits from
 * the queue while a slot and KV blocks are free.  If a request needs a KV block and none
 * is free, the one admitted last is preempted: it gives up its blocks, goes to the front
 * of the queue and computes its context again.  The step's time is said in profile.h; all
 * of its tokens appear at its end.
 *
 * With a prefix cache, the blocks of a prompt stay when its request ends, until their room
 * is needed (oldest first); a prompt that begins with the same blocks shares them and
 * computes only what follows, at least its last token.
 *
 * Same profile, seed and calls: same events, on any machine.
 */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/profile.h"

#define ENGINE_NEVER INT64_MAX

struct engine;
struct engine_seq; /* one request inside the engine */

struct engine_event {
	int64_t t_ns;         /* virtual time, the end of its step */
	struct engine_seq *seq;
	void *user;           /* as given to engine_submit() */
	int64_t token;        /* which output token, from 1 */
	bool last;            /* the request has ended; seq is gone after the call */
	int64_t cached_tokens; /* of its prompt, not computed thanks to the prefix cache */
};

struct engine_request {
	int64_t prompt_tokens, output_tokens; /* each at least 1 */
	const uint64_t *blocks;  /* chained ids of the prompt's whole KV blocks; copied */
	size_t n_blocks;         /* 0: nothing is known of the prompt */
	void *user;
};

/* May submit, but neither cancel nor advance. */
typedef void (*engine_fn)(void *arg, const struct engine_event *ev);

struct engine_stats {
	int64_t running, waiting;      /* requests now (waiting: those that arrived and have no slot) */
	int64_t kv_used_tokens;        /* in whole blocks */
	int64_t kv_capacity_tokens;    /* in whole blocks */
	int64_t prompt_tokens, generation_tokens; /* since the start, each once; cached ones too */
	int64_t prefix_queries, prefix_hits; /* prompt tokens looked up in the prefix cache, found */
	int64_t finished, cancelled, preemptions, steps;
};

/* Copies p.  NULL: out of memory. */
struct engine *engine_create(const struct profile *p, uint64_t seed);
void engine_free(struct engine *e);

/*
 * A request that arrives at t_ns (one before the last advance counts as at that time).
 * NULL: together more than max_model_len, or out of memory.
 */
struct engine_seq *engine_submit(struct engine *e, int64_t t_ns, const struct engine_request *r);
/* The client left: slot and blocks are free at once, no event follows. */
void engine_cancel(struct engine *e, struct engine_seq *seq);

/* Time of the next thing that happens by itself, or ENGINE_NEVER if nothing is in it. */
int64_t engine_next_ns(const struct engine *e);
/*
 * Runs to t_ns and hands out every token up to and including then.  ENGINE_NEVER: until
 * nothing is left in it.
 */
void engine_advance(struct engine *e, int64_t t_ns, engine_fn fn, void *arg);

void engine_stats(const struct engine *e, struct engine_stats *out);

#endif
