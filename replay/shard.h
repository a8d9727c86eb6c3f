/*
 * One plan over several processes: each sends a part, together they send all of it once,
 * each arrival at its time.  Sessions stay whole.
 */
#ifndef REPLAY_SHARD_H
#define REPLAY_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"

struct shard {
	int64_t index, count;   /* 0/1: everything */
};

/*
 * "i/n" with i from 0; "auto": SLURM_PROCID and SLURM_NTASKS, or JOB_COMPLETION_INDEX
 * (Kubernetes, which does not say how many there are: "auto/n").  0 or -1.
 */
int shard_parse(const char *text, struct shard *s, struct err *e);

/* The part of a limit of `whole` that shard s has; the parts add up to it. */
int64_t shard_share(const struct shard *s, int64_t whole);

/*
 * Of a closed loop at `concurrency`: the k-th request that starts by itself is sent by
 * this shard.  In turn, among the shards that have a slot.
 */
bool shard_has_turn(const struct shard *s, int64_t k, int64_t concurrency);

/*
 * Of an open loop: by lot, drawn from (seed, k).  Each part of a Poisson process is then
 * a Poisson process; every n-th arrival of one would be far too even.
 */
bool shard_has_lot(const struct shard *s, uint64_t seed, uint64_t k);

#endif
