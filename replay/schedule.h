/*
 * When request i is due.  Pure: no clock, no sleep.  A deadline is always counted from
 * the phase's begin, never from the request before it, so that delays do not add up.
 */
#ifndef REPLAY_SCHEDULE_H
#define REPLAY_SCHEDULE_H

#include <stdint.h>

enum timing {
	TIMING_CLOSED,   /* a request is due when a slot is free: no intended time */
	TIMING_RECORDED, /* at its recorded arrival, times 1/speed */
};
/* "closed", "recorded". */
const char *timing_name(enum timing t);

struct schedule {
	enum timing timing;
	double speed;       /* > 0; 10 replays ten recorded seconds in one */
	int64_t first_ns;   /* arrival of the first request of the source */
	int64_t period_ns;  /* recorded time that one pass over the source takes, up to the first
			       arrival of the next pass */
};

/*
 * For a source of n arrivals from first_ns to last_ns.  A second pass over the source
 * begins one mean gap after the first one's last arrival.
 */
void schedule_init(struct schedule *s, enum timing timing, double speed,
		   int64_t first_ns, int64_t last_ns, int64_t n);

/*
 * Intended time in ns from the phase's begin, for a request that arrived at arrival_ns
 * in the given pass (from 0).  NS_NONE in a closed loop.  Saturates at INT64_MAX.
 */
int64_t schedule_intended_ns(const struct schedule *s, int64_t arrival_ns, int64_t pass);

#endif
