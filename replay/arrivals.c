#include <config.h>

#include "replay/arrivals.h"

#include <math.h>

#include "formats/base/clock.h"

void arrivals_init(struct arrivals *a, const struct load *l, uint64_t seed, uint64_t index)
{
	*a = (struct arrivals){ .load = l };
	rng_init(&a->rng, seed, "arrivals", index);
}

/* S_k; at TIMING_CONSTANT k itself, so that no rounding adds up. */
static double next_sum(struct arrivals *a)
{
	double shape = a->load->burstiness;

	switch (a->load->timing) {
	case TIMING_POISSON:
		return a->sum += rng_exponential(&a->rng);
	case TIMING_GAMMA:
		return a->sum += rng_gamma(&a->rng, shape) / shape;
	default:
		return (double)a->k;
	}
}

int64_t arrivals_next(struct arrivals *a)
{
	double s = next_sum(a);
	int64_t due;

	a->k++;
	if (a->load->timing != TIMING_BURST && a->load->rate.from == 0 && a->load->rate.to == 0)
		return NS_NONE;
	due = a->load->timing == TIMING_BURST ? 0 : seconds_to_ns(ramp_time_s(&a->load->rate, s));
	if (due == INT64_MAX)
		return NS_NONE;
	return a->load->duration_ns != NS_NONE && due >= a->load->duration_ns ? NS_NONE : due;
}

double arrivals_rate_hz(const struct load *l, int64_t n)
{
	double t = ramp_time_s(&l->rate, (double)n);

	if (l->timing == TIMING_BURST)
		return NAN;
	if (l->duration_ns != NS_NONE && t * (double)NS_PER_S > (double)l->duration_ns)
		t = (double)l->duration_ns / (double)NS_PER_S;
	return t > 0 && t < HUGE_VAL ? ramp_area(&l->rate, t) / t : NAN;
}
