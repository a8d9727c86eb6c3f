#include <config.h>

#include "replay/schedule.h"

#include <math.h>

#include "formats/base/clock.h"

/* A cap that comes from a ramp is rounded down, but for what rounding took from it. */
static const double cap_slack = 1e-6;

const char *timing_name(enum timing t)
{
	static const char *const names[] = {
		[TIMING_CLOSED] = "closed", [TIMING_RECORDED] = "recorded",
		[TIMING_CONSTANT] = "constant", [TIMING_POISSON] = "poisson",
		[TIMING_GAMMA] = "gamma", [TIMING_BURST] = "burst",
	};

	return names[t];
}

struct load load_closed(int64_t concurrency)
{
	return (struct load){
		.timing = TIMING_CLOSED, .concurrency = concurrency,
		.cap = ramp_flat((double)concurrency), .rate = ramp_flat(0), .burstiness = 1,
		.duration_ns = NS_NONE,
	};
}

bool load_is_cap_ramp(const struct load *l)
{
	return l->concurrency != COUNT_NONE && l->duration_ns != NS_NONE &&
		l->cap.over_ns >= l->duration_ns;
}

int64_t load_cap(const struct load *l, int64_t t_ns)
{
	int64_t cap;

	if (l->concurrency == COUNT_NONE)
		return INT64_MAX;
	cap = (int64_t)floor(ramp_at(&l->cap, t_ns) + cap_slack);
	return cap < 1 ? 1 : cap;
}

int64_t load_cap_rises_ns(const struct load *l, int64_t t_ns)
{
	if (l->concurrency == COUNT_NONE || t_ns >= l->cap.over_ns || l->cap.to <= l->cap.from)
		return INT64_MAX;
	return ramp_reaches_ns(&l->cap, (double)(load_cap(l, t_ns) + 1));
}
