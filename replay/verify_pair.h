/* Which answer of a reference belongs to a request of a run: see verify.h. */
#ifndef REPLAY_VERIFY_PAIR_H
#define REPLAY_VERIFY_PAIR_H

#include "formats/base/idmap.h"
#include "replay/verify.h"

struct verify_index {
	const struct trace_data *run, *reference;
	enum verify_against against;
	bool one_plan, one_source;
	struct idmap exact;  /* (key, concurrency, how many before it) -> exchange of the reference */
	struct idmap first;  /* key -> the first ok one at the lowest concurrency */
	struct idmap seen;   /* (key, concurrency) -> how many of the run were asked for */
};

/* Measured: no warm-up, no acceptance check. */
bool verify_measured(const struct trace_data *d, const struct exchange *x);
int64_t verify_concurrency(const struct trace_data *d, const struct exchange *x);

/* 0, or -1: out of memory.  Released in any case. */
int verify_index_init(struct verify_index *ix, const struct trace_data *run,
		      const struct trace_data *reference, enum verify_against against);
void verify_index_release(struct verify_index *ix);

/*
 * The partner of x, in *partner; NULL: none, or x is the one that the others are held
 * against (then *is_reference).  To be asked in the order of the run.  0 or -1.
 */
int verify_partner(struct verify_index *ix, const struct exchange *x,
		   const struct exchange **partner, bool *is_reference);

#endif
