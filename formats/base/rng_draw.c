/* Variates of distributions other than the uniform one. */
#include <config.h>

#include <math.h>

#include "formats/base/portable.h"
#include "formats/base/rng.h"

/* Uniform in (0, 1]: its logarithm is finite. */
static double unit_above_0(struct rng *r)
{
	return 1 - rng_unit(r);
}

double rng_exponential(struct rng *r)
{
	return 0 - portable_log(unit_above_0(r));
}

double rng_normal(struct rng *r)
{
	double u, v, s;

	do {
		u = 2 * rng_unit(r) - 1;
		v = 2 * rng_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * portable_log(s) / s);
}

/* Marsaglia, Tsang: "A simple method for generating gamma variables", 2000; shape >= 1. */
static double gamma_from_1(struct rng *r, double shape)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d), x, v, u;

	for (;;) {
		do {
			x = rng_normal(r);
			v = 1 + c * x;
		} while (v <= 0);
		v = v * v * v;
		u = unit_above_0(r);
		if (portable_log(u) < 0.5 * x * x + d - d * v + d * portable_log(v))
			return d * v;
	}
}

double rng_gamma(struct rng *r, double shape)
{
	double g;

	if (shape >= 1)
		return gamma_from_1(r, shape);
	/* Their section 6: a variate of shape + 1, times U^(1/shape). */
	g = gamma_from_1(r, shape + 1);
	return g * portable_exp(portable_log(unit_above_0(r)) / shape);
}
