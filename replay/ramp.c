#include <config.h>

#include "replay/ramp.h"

#include <math.h>

#include "formats/base/clock.h"
#include "formats/base/portable.h"

/* Beyond these nothing in the field is, and arithmetic ends. */
static const double rate_least_hz = 1e-6, rate_most_hz = 1e6;

bool ramp_is_rate(double hz)
{
	return hz == 0 || (hz >= rate_least_hz && hz <= rate_most_hz);
}

struct ramp ramp_flat(double value)
{
	return (struct ramp){ RAMP_LINEAR, value, value, 0 };
}

int64_t seconds_to_ns(double s)
{
	return s < 9.2e9 ? llround(s * (double)NS_PER_S) : INT64_MAX;
}

static double over_s(const struct ramp *r)
{
	return (double)r->over_ns / (double)NS_PER_S;
}

/* Growth per second of an exponential ramp. */
static double growth(const struct ramp *r)
{
	return portable_log(r->to / r->from) / over_s(r);
}

static bool is_exponential(const struct ramp *r)
{
	return r->shape == RAMP_EXPONENTIAL && r->from != r->to;
}

double ramp_at(const struct ramp *r, int64_t t_ns)
{
	double t = (double)t_ns / (double)NS_PER_S;

	if (t_ns >= r->over_ns)
		return r->to;
	if (t_ns <= 0)
		return r->from;
	if (is_exponential(r))
		return r->from * portable_exp(growth(r) * t);
	return r->from + (r->to - r->from) * (t / over_s(r));
}

/* The same while it still moves. */
static double area_on_the_way(const struct ramp *r, double t)
{
	if (is_exponential(r))
		return r->from * (portable_exp(growth(r) * t) - 1) / growth(r);
	return r->from * t + (r->to - r->from) * t * t / (2 * over_s(r));
}

double ramp_area(const struct ramp *r, double t_s)
{
	if (r->over_ns == 0)
		return r->to * t_s;
	if (t_s <= over_s(r))
		return area_on_the_way(r, t_s);
	return area_on_the_way(r, over_s(r)) + r->to * (t_s - over_s(r));
}

static double time_on_the_way(const struct ramp *r, double area)
{
	double slope;

	if (is_exponential(r))
		return portable_log(1 + growth(r) * area / r->from) / growth(r);
	/* The root of a quadratic, in the form that cancels nothing. */
	slope = (r->to - r->from) / over_s(r);
	return 2 * area / (r->from + sqrt(r->from * r->from + 2 * slope * area));
}

double ramp_time_s(const struct ramp *r, double area)
{
	double way = r->over_ns > 0 ? area_on_the_way(r, over_s(r)) : 0;

	if (!(area > 0))
		return 0;
	if (area <= way)
		return time_on_the_way(r, area);
	if (r->to == 0)
		return HUGE_VAL;
	return over_s(r) + (area - way) / r->to;
}

int64_t ramp_reaches_ns(const struct ramp *r, double value)
{
	if (ramp_at(r, 0) >= value)
		return 0;
	if (r->to < value)
		return INT64_MAX;
	/* Up to the next ns: asked again then, it has been reached. */
	if (is_exponential(r))
		return (int64_t)ceil(portable_log(value / r->from) / growth(r) * (double)NS_PER_S);
	return (int64_t)ceil((double)r->over_ns * (value - r->from) / (r->to - r->from));
}

int64_t ramp_over_ns(enum ramp_shape shape, double from, double to, double area)
{
	double mean = (from + to) / 2;

	if (shape == RAMP_EXPONENTIAL && from != to)
		mean = (to - from) / portable_log(to / from);
	return seconds_to_ns(area / mean);
}
