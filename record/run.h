/*
 * A recording from its first to its last moment: the loop, its clock and its signals.
 * SIGHUP: a new file.  SIGTERM: what runs may end, nothing new is accepted.  SIGINT: the
 * end at once, tidily.  A second SIGINT or SIGTERM: at once.
 */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include "record/proxy.h"

struct run_opts {
	struct proxy_opts proxy;
	struct capture_opts capture;
	struct recorder_opts recorder;
	const char *shown_upstream; /* for the live view: without secrets */
	const char *metrics;      /* [HOST:]PORT of the operator's listener, or NULL */
	int64_t drain_ns;         /* how long SIGTERM waits for what runs */
	bool quiet, watch;
};

/*
 * Serves until a signal or the wanted number of exchanges.  The epoch of all times is that
 * of the recorder's header.  Talks on stderr.  The exit code.
 */
int run(const struct run_opts *o);

#endif
