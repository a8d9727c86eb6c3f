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

#include "replay/request.h"
#include "replay/schedule.h"
#include "replay/source.h"

struct plan_opts {
	enum timing timing;
	double speed;               /* > 0 */
	const int64_t *levels;      /* concurrency of each level; COUNT_NONE: no cap (recorded timing) */
	size_t n_levels;
	const int64_t *counts;      /* requests per level; one number serves all levels */
	size_t n_counts;            /* 0: every request of the source once */
	int64_t warmups;            /* per level */
	struct request_opts req;
};

struct plan_phase {
	enum phase_kind kind;       /* PHASE_WARMUP or PHASE_ROUND */
	enum timing timing;         /* warm-ups are always a closed loop */
	int64_t concurrency;        /* cap, or COUNT_NONE */
	double rate_hz;             /* offered rate, NaN in a closed loop */
	size_t first, n;            /* its requests in the plan */
};

struct plan_entry {
	size_t item;                /* of the source */
	int64_t pass;               /* repetition of the source, from 0 */
	size_t phase;
	int64_t parent;             /* index in the plan of the turn before, or -1 */
	bool waits;                 /* it is not sent before its parent has ended */
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

/* The body of request i: its own bytes, or built into tmp.  0 or -1. */
int plan_body(const struct plan *p, size_t i, struct buf *tmp, struct str *body, struct err *e);

/* Appends the line of request i, with its line feed.  0 or -1 (out of memory). */
int plan_line(const struct plan *p, size_t i, struct buf *out);

#endif
