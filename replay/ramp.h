/*
 * A rate or a limit over time: it goes from one value to another within a time, and stays
 * there.  Pure; times count from the begin of the phase.
 */
#ifndef REPLAY_RAMP_H
#define REPLAY_RAMP_H

#include <stdbool.h>
#include <stdint.h>

enum ramp_shape { RAMP_LINEAR, RAMP_EXPONENTIAL };

struct ramp {
	enum ramp_shape shape;
	double from, to;   /* >= 0; both > 0 if exponential */
	int64_t over_ns;   /* 0: it is `to` from the begin on */
};

/* The same value all the time. */
struct ramp ramp_flat(double value);

/* True for a rate that can be asked for: 0, or 1e-6 to 1e6 per s. */
bool ramp_is_rate(double hz);

double ramp_at(const struct ramp *r, int64_t t_ns);
/* Its integral from 0 to t seconds: for a rate, how many arrivals are due by then. */
double ramp_area(const struct ramp *r, double t_s);
/* The inverse: after how many seconds the integral is `area`; HUGE_VAL: never. */
double ramp_time_s(const struct ramp *r, double area);
/* When a rising ramp reaches a value, in ns; INT64_MAX: never. */
int64_t ramp_reaches_ns(const struct ramp *r, double value);
/* The time within which a ramp of this shape has the given area. */
int64_t ramp_over_ns(enum ramp_shape shape, double from, double to, double area);

/* Seconds to ns, rounded; saturates at INT64_MAX. */
int64_t seconds_to_ns(double s);

#endif
