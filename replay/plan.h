/*
 * The plan of a run: the ordered list of its requests, with the exact bytes, the trigger
 * and the intended time of each.  A pure function of (source, options, seed): no clock,
 * no engine, no chance.  Request i sent is request i of the plan.
 *
 * Its text is one JSON object a line and a request (plan_line()); its digest is the
 * SHA-256 of that text, so that "tokreplay --plan ... | sed '$d' | sha256sum" gives it.
 */
#ifndef REPLAY_PLAN_H
#define REPLAY_PLAN_H

#include "replay/recorded.h"
#include "replay/request.h"
#include "replay/scenario.h"
#include "replay/schedule.h"
#include "replay/shard.h"
#include "replay/source.h"

/* What the prompts of a run share with each other, and so what a prefix cache can save. */
enum cache_mode {
	CACHE_AS_RECORDED, /* what the source shares, within each round */
	CACHE_COLD,        /* nothing: each prompt is another from its first words on */
	CACHE_WARM,        /* everything: the prompts of a level are those of its warm-up */
};

/* "as-recorded", "cold", "warm". */
const char *cache_mode_name(enum cache_mode m);

struct plan_opts {
	const struct load *loads;   /* of each level */
	size_t n_levels;
	const int64_t *counts;      /* requests per level; one number serves all levels */
	size_t n_counts;            /* 0: every request of the source once; with a duration, as
				       many as fit into it */
	struct recorded_opts recorded;
	bool lanes;                 /* closed loop: request i of a phase is bound to lane i mod C */
	bool think_recorded;        /* a turn waits as long after its parent as it was recorded to, */
	int64_t think_ns;           /* or else this long */
	bool live_history;          /* turns are sent with the answers of the run (live.h) */
	struct shard shard;         /* what this process sends; the plan is the whole */
	int64_t warmups;            /* per level and scenario; CACHE_WARM: 0 is as many as a round has */
	int64_t rounds;             /* of each level and scenario; 0: one */
	int64_t cool_down_ns;       /* of rest after each round */
	enum cache_mode cache;
	const struct scenario *scenarios; /* of each item of the source; NULL: it is a trace */
	size_t n_scenarios;
	struct request_opts req;
};

struct plan_phase {
	enum phase_kind kind;       /* PHASE_WARMUP or PHASE_ROUND */
	struct load load;           /* warm-ups are always a closed loop */
	double rate_hz;             /* offered rate, NaN in a closed loop */
	size_t first, n;            /* its requests in the plan */
	int64_t scenario;           /* item of the source that all of them repeat, or -1 */
	int64_t round;              /* from 1 */
	size_t begun;               /* requests of the phases before that it goes on from, in the source */
	uint64_t stream;            /* of random arrivals */
	uint64_t words;             /* of synthetic prompts: other words for another number */
	int64_t pause_ns;           /* of rest before it begins, when the one before has drained */
};

struct plan_entry {
	size_t item;                /* of the source */
	int64_t pass;               /* repetition of the source, from 0 */
	size_t phase;
	int64_t parent;             /* index in the plan of the turn before, or -1 */
	bool waits;                 /* it is not sent before its parent has ended, */
	int64_t think_ns;           /* and so much later */
	bool live;                  /* its body may be another when it is sent */
	size_t root;                /* index in the plan of its session's first turn, or its own */
	int64_t lane;               /* that it is bound to, or COUNT_NONE */
	bool elsewhere;             /* another shard sends it */
	int64_t intended_ns;        /* from the phase's begin, NS_NONE in a closed loop */
	struct str endpoint;
	struct request_facts facts;
	struct buf body;            /* empty if it is built again when it is sent */
	size_t body_len;
	char digest[DIGEST_HEX + 1]; /* of the body */
};

struct plan {
	const struct source *source; /* borrowed, outlives the plan */
	struct plan_opts opts;       /* arrays borrowed */
	struct prompt *prompt;
	struct plan_phase *phases;
	size_t n_phases;
	struct plan_entry *e;
	size_t n;
	size_t wrapped;              /* requests beyond the first pass, in the largest round */
	char digest[DIGEST_HEX + 1];
};

/* 0, or -1 and nothing to release. */
int plan_build(const struct source *s, const struct plan_opts *o, struct plan *p, struct err *e);
void plan_release(struct plan *p);

/* How many of its requests this shard sends. */
int64_t plan_mine(const struct plan *p);

/* The body of request i: its own bytes, or built into tmp.  0 or -1. */
int plan_body(const struct plan *p, size_t i, struct buf *tmp, struct str *body, struct err *e);

/* Appends the line of request i, with its line feed.  0 or -1 (out of memory). */
int plan_line(const struct plan *p, size_t i, struct buf *out);

#endif
