/*
 * Runs of several processes: segments that are parts ("shard" i/n in the header's run
 * settings) of one plan are one run, on one clock by their wall-clock anchors.  Every
 * other segment is a run of its own.
 */
#ifndef ANALYZE_SHARDS_H
#define ANALYZE_SHARDS_H

#include "formats/trace/exchanges.h"

/* Of one segment. */
struct shard_place {
	size_t run;          /* which run it belongs to, from 0 */
	int64_t offset_ns;   /* its epoch on the clock of the run's first segment */
	int64_t index, count; /* 0/1: no part */
};

/* The places of the segments of n traces, trace after trace; owned by the caller.  NULL: out of memory. */
struct shard_place *shards_place(const struct trace_data *t, size_t n);

/* Parts that are named but not there, over all runs. */
size_t shards_missing(const struct shard_place *p, size_t n);

#endif
