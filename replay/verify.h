/*
 * The answers of a run held against other answers to the same requests: those of the trace
 * it repeats, of another run, or its own at the lowest concurrency (batch invariance).
 * Pure: finished traces in, counts and differences out.
 */
#ifndef REPLAY_VERIFY_H
#define REPLAY_VERIFY_H

#include "formats/trace/exchanges.h"
#include "replay/difference.h"

enum verify_against {
	VERIFY_RECORDED, /* the source of the run, by source_id */
	VERIFY_OTHER,    /* another run: by place where both have one plan, else by the body's
	                    digest, else by source_id where both repeat one source */
	VERIFY_LEVELS,   /* the same run: requests with one body, against the first of them at
	                    the lowest concurrency */
};
const char *verify_against_name(enum verify_against a); /* "recorded", "other", "levels" */

/* Pairs of one concurrency of the run and one of what it is held against. */
struct verify_group {
	int64_t concurrency, reference_concurrency; /* COUNT_NONE: none, as in an open loop */
	size_t pairs;
	size_t failed;      /* of them: one of the two did not end ok, so nothing was compared */
	size_t no_text;     /* one of the two was written with --no-text */
	size_t identical, same_events; /* of those compared; cut into events alike */
	size_t other_body;  /* of those compared: the requests' bodies differ (model, limits) */
	size_t other_count; /* identical, but the engines counted other numbers of tokens */
};

struct verify_pair {
	const struct exchange *x, *reference;
	int64_t concurrency, reference_concurrency; /* COUNT_NONE: none */
	bool same_body;
	struct difference d;
};

struct verify {
	enum verify_against against;
	struct verify_group *groups; /* by concurrency, rising */
	size_t n_groups, cap_groups;
	struct verify_pair *differ;  /* in the order of the run */
	size_t n_differ, cap_differ;
	size_t unpaired;             /* measured requests of the run with nothing to be held against */
	struct verify_group all;     /* the sum; its concurrencies are COUNT_NONE */
	struct arena store;
};

/*
 * reference: the run itself for VERIFY_LEVELS.  Both outlive v.  Warm-ups and acceptance
 * checks are left out.  0, or -1: out of memory, nothing to release.
 */
int verify_run(const struct trace_data *run, const struct trace_data *reference,
	       enum verify_against against, struct verify *v, struct err *e);
void verify_release(struct verify *v);

/* Pairs that were compared. */
size_t verify_compared(const struct verify_group *g);

#endif
