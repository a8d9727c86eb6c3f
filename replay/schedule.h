/*
 * The shape of the load of one phase: by what a request is due, how many may be in flight,
 * how long it lasts.  Pure: no clock, no sleep.  A deadline is always counted from the
 * phase's begin, never from the request before it, so that delays do not add up.
 */
#ifndef REPLAY_SCHEDULE_H
#define REPLAY_SCHEDULE_H

#include <stdbool.h>

#include "replay/ramp.h"

/* When a request is due. */
enum timing {
	TIMING_CLOSED,   /* when a slot is free: no intended time */
	TIMING_RECORDED, /* at its recorded arrival (recorded.h) */
	TIMING_CONSTANT, /* at a rate, evenly (arrivals.h) */
	TIMING_POISSON,  /* at a rate, with independent exponential gaps */
	TIMING_GAMMA,    /* at a rate, with independent gamma gaps: burstier or smoother */
	TIMING_BURST,    /* all at the begin */
};
/* "closed", "recorded", "constant", ... */
const char *timing_name(enum timing t);

struct load {
	enum timing timing;
	int64_t concurrency;   /* the most in flight at any time; COUNT_NONE: no cap */
	struct ramp cap;       /* how it comes and goes; cap.to and .from are at most concurrency */
	struct ramp rate;      /* requests per s; constant, poisson, gamma */
	double burstiness;     /* gamma: its shape; 1 is poisson, more is smoother */
	int64_t duration_ns;   /* nothing is sent after it; NS_NONE: until all is sent */
	bool follows;          /* begins when the duration of the phase before is over, whatever
				  that one still has in flight */
};

/* A closed loop at C; an open loop if another timing is set in it. */
struct load load_closed(int64_t concurrency);

/* True if the cap changes all the time: then no single number is the phase's concurrency. */
bool load_is_cap_ramp(const struct load *l);

/* Longest time that can be asked for: ten years. */
#define LOAD_LONGEST_NS (INT64_C(3650) * 86400 * 1000000000)

/* How many may be in flight t_ns after the phase's begin; INT64_MAX without a cap. */
int64_t load_cap(const struct load *l, int64_t t_ns);
/* When the cap next rises after t_ns; INT64_MAX: it does not. */
int64_t load_cap_rises_ns(const struct load *l, int64_t t_ns);

#endif
