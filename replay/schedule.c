#include <config.h>

#include "replay/schedule.h"

#include <math.h>

#include "formats/base/clock.h"

const char *timing_name(enum timing t)
{
	return t == TIMING_CLOSED ? "closed" : "recorded";
}

void schedule_init(struct schedule *s, enum timing timing, double speed,
		   int64_t first_ns, int64_t last_ns, int64_t n)
{
	int64_t span = last_ns - first_ns;

	*s = (struct schedule){ .timing = timing, .speed = speed, .first_ns = first_ns };
	s->period_ns = n > 1 ? span + span / (n - 1) : 0;
}

int64_t schedule_intended_ns(const struct schedule *s, int64_t arrival_ns, int64_t pass)
{
	double offset, due;

	if (s->timing == TIMING_CLOSED)
		return NS_NONE;
	/* At speed 1 and in the first pass every ns is exact. */
	if (s->speed == 1 && pass == 0)
		return arrival_ns - s->first_ns;
	offset = (double)(arrival_ns - s->first_ns) + (double)pass * (double)s->period_ns;
	due = offset / s->speed;
	return due < 9.2e18 ? llround(due) : INT64_MAX;
}
