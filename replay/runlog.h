/*
 * What a run writes: plan and captured responses -> records of its trace.
 */
#ifndef REPLAY_RUNLOG_H
#define REPLAY_RUNLOG_H

#include "formats/trace/writer.h"
#include "replay/plan.h"
#include "replay/probe.h"
#include "replay/target.h"

/* All borrowed, for as long as the run lasts. */
struct runlog {
	struct trace_writer *w;
	const struct plan *plan;
	const struct target *target;
	bool no_text;
};

/* Times of one request, from the epoch, and what else the plan does not say. */
struct run_times {
	int64_t scheduled_ns, queued_ns, sent_ns;
	int64_t lane;  /* its client slot, COUNT_NONE: none */
	bool live;     /* the body is another than planned (live.h) */
};

/* Writes the header and returns the epoch's CLOCK_MONOTONIC in *epoch_ns.  0 or -1. */
int runlog_header(const struct runlog *l, const struct trace_origin *origin,
		  const struct probe *engine, const char *source_name,
		  int64_t *epoch_ns, struct err *e);
/* end_ns NS_NONE: the phase begins.  verdict: absent while it lasts. */
int runlog_phase(const struct runlog *l, size_t phase, int64_t begin_ns, int64_t end_ns,
		 const char *verdict, struct err *e);
int runlog_request(const struct runlog *l, size_t i, struct str body,
		   const struct run_times *t, struct err *e);
int runlog_end(const struct runlog *l, int64_t t_ns, bool interrupted, struct err *e);

#endif
