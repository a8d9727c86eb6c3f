/*
 * Arrival times at a rate.  With S_k the sum of gaps of mean 1 (1, exponential or gamma)
 * and L(t) the integral of the rate, request k is due at t_k with L(t_k) = S_k: at any
 * rate over time, ramps included, that is the process of that rate.
 * Evenly spaced arrivals begin at 0, random ones after a first gap.
 */
#ifndef REPLAY_ARRIVALS_H
#define REPLAY_ARRIVALS_H

#include "formats/base/rng.h"
#include "replay/schedule.h"

struct arrivals {
	const struct load *load;  /* borrowed */
	struct rng rng;
	double sum;
	int64_t k;
};

/* One stream of random numbers for each (seed, index); index tells phases apart. */
void arrivals_init(struct arrivals *a, const struct load *l, uint64_t seed, uint64_t index);

/*
 * The next one, in ns from the phase's begin, never before the one before it.  NS_NONE:
 * there is none within the load's duration.
 */
int64_t arrivals_next(struct arrivals *a);

/* The mean rate in Hz over n requests or the duration, whichever ends first; NaN for a burst. */
double arrivals_rate_hz(const struct load *l, int64_t n);

#endif
