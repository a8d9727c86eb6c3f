#include <config.h>

#include "plot/axis.h"

#include <math.h>

static const double spread_for_log = 20;
static const double span_for_log = 4;

void extent_init(struct extent *x)
{
	*x = (struct extent){ .min = NAN, .max = NAN, .min_positive = NAN };
}

void extent_add(struct extent *x, double v)
{
	if (!isfinite(v))
		return;
	x->min = x->n && x->min < v ? x->min : v;
	x->max = x->n && x->max > v ? x->max : v;
	x->n++;
	if (v > 0) {
		if (x->n_positive == 0 || v < x->min_positive)
			x->min_positive = v;
		x->n_positive++;
	}
}

static void add_tic(struct axis *a, double v)
{
	/* A tic may miss the end of its axis by rounding only. */
	double slack = 1e-9 * (a->hi - a->lo);

	if (v >= a->lo - slack && v <= a->hi + slack && a->n_tics < AXIS_TICS)
		a->tics[a->n_tics++] = v;
}

/* 1, 2 or 5 times a power of ten, so that about five steps make the range. */
static double nice_step(double range)
{
	double raw = range / 5, decade = pow(10, floor(log10(raw))), m = raw / decade;

	return decade * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

void axis_from_zero(struct axis *a, const struct extent *x)
{
	double step;

	*a = (struct axis){ .hi = x->n && x->max > 0 ? x->max * 1.08 : 1 };
	step = nice_step(a->hi);
	for (int i = 0; i * step <= a->hi * (1 + 1e-9); i++)
		add_tic(a, i * step);
}

/* Tics at 1, 2, 5, or at 1 and 3, or at decades only: as many as stand apart. */
static void add_log_tics(struct axis *a)
{
	static const double steps[3][3] = { { 1, 2, 5 }, { 1, 3 }, { 1 } };
	double decades = log10(a->hi / a->lo);
	int kind = decades <= 1.6 ? 0 : decades <= 3.2 ? 1 : 2;
	int stride = decades > 10 ? 3 : 1;

	for (int d = (int)floor(log10(a->lo)); pow(10, d) <= a->hi; d += stride)
		for (int i = 0; i < 3 - kind; i++)
			add_tic(a, steps[kind][i] * pow(10, d));
}

void axis_log(struct axis *a, const struct extent *x)
{
	double lo = x->min_positive / 1.25, hi = x->max * 1.25, step;

	if (x->min_positive == x->max) {
		lo = x->max / 2;
		hi = x->max * 2;
	}
	*a = (struct axis){ .log = true, .base = 10, .lo = lo, .hi = hi };
	if (hi / lo >= 8) {
		add_log_tics(a);
		return;
	}
	step = nice_step(hi - lo);
	for (double v = ceil(lo / step) * step; v <= hi; v += step)
		add_tic(a, v);
}

void axis_spread(struct axis *a, const struct extent *x)
{
	if (x->n_positive > 0 && x->max / x->min_positive > spread_for_log)
		axis_log(a, x);
	else
		axis_from_zero(a, x);
}

/* Where v stands on the axis, 0 to 1. */
static double place(const struct axis *a, double v)
{
	if (a->log)
		return log(v / a->lo) / log(a->hi / a->lo);
	return (v - a->lo) / (a->hi - a->lo);
}

static void pad_levels(struct axis *a, double min, double max)
{
	double pad = min < max ? 0.06 : 0.5;

	if (a->log) {
		a->lo = min / pow(max / min, pad);
		a->hi = max * pow(max / min, pad);
	} else {
		double room = min < max ? max - min : max != 0 ? fabs(max) : 1;

		a->lo = min - pad * room;
		a->hi = max + pad * room;
	}
}

void axis_levels(struct axis *a, const double *levels, size_t n, double min_gap)
{
	double last = -1;

	*a = (struct axis){ .base = 2 };
	a->log = n > 1 && levels[0] > 0 && levels[n - 1] / levels[0] > span_for_log;
	pad_levels(a, levels[0], levels[n - 1]);
	for (size_t i = 0; i < n; i++) {
		if (last >= 0 && place(a, levels[i]) - last < min_gap)
			continue;
		last = place(a, levels[i]);
		add_tic(a, levels[i]);
	}
}
