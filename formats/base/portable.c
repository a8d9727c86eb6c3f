#include <config.h>

#include "formats/base/portable.h"

#include <float.h>
#include <math.h>

/* ln 2 in two parts: the first has zeros at its end, so that a whole multiple of it is exact. */
static const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
static const double sqrt_half = 0x1.6a09e667f3bcdp-1;

enum { LOG_TERMS = 12, EXP_TERMS = 14, EXP_LIMIT = 700 };

/*
 * x = m 2^k with m in [sqrt(1/2), sqrt(2)); with s = (m - 1) / (m + 1), |s| < 0.172,
 * ln m = 2 (s + s^3/3 + s^5/5 + ...).
 */
double portable_log(double x)
{
	int k;
	double m = frexp(x, &k), s, s2, sum = 0;

	if (m < sqrt_half) {
		m *= 2;
		k--;
	}
	s = (m - 1) / (m + 1);
	s2 = s * s;
	for (int i = LOG_TERMS; i > 0; i--)
		sum = (sum + 1.0 / (2 * i + 1)) * s2;
	return k * ln2_high + (k * ln2_low + (2 * s * sum + 2 * s));
}

/* x = k ln 2 + r with |r| <= (ln 2)/2; e^r by its Taylor series. */
double portable_exp(double x)
{
	double k, r, sum = 1;

	if (x < -EXP_LIMIT)
		return 0;
	if (x > EXP_LIMIT)
		return DBL_MAX;
	k = floor(x / (ln2_high + ln2_low) + 0.5);
	r = x - k * ln2_high - k * ln2_low;
	for (int i = EXP_TERMS; i > 0; i--)
		sum = 1 + sum * r / i;
	return ldexp(sum, (int)k);
}
