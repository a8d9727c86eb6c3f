#include <config.h>

#include "analyze/stats.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/quantile.h"

double pct_of(int p)
{
	static const double pct[PCTS] = { 50, 90, 95, 99 };

	return pct[p];
}

size_t pct_needs(int p)
{
	static const size_t needs[PCTS] = { 11, 64, 130, 662 };

	return needs[p];
}

int sample_add(struct sample *s, double v)
{
	if (isnan(v))
		return 0;
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		double *p = realloc(s->v, cap * sizeof(*p));

		if (!p)
			return -1;
		s->v = p;
		s->cap = cap;
	}
	s->v[s->n++] = v;
	return 0;
}

/* P(X = k) for X binomial(n, q), by logarithms: n may be large. */
static double binomial(size_t n, size_t k, double q)
{
	double a = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);

	return exp(a + (double)k * log(q) + (double)(n - k) * log1p(-q));
}

/*
 * Ranks l < u (1-based) with P(X_(l) <= quantile <= X_(u)) >= 0.99, half of the rest on each
 * side: the number of samples below the quantile is binomial (David and Nagaraja, Order
 * Statistics, 3rd ed., section 7.1).
 */
static void interval(struct sample *s, int p)
{
	const double tail = 0.005, q = pct_of(p) / 100;
	double below = 0;
	size_t low = 0, high = 0;

	s->ci_low[p] = s->ci_high[p] = NAN;
	for (size_t k = 0; k < s->n; k++) {
		/* below = P(X <= k - 1) before, P(X <= k) after */
		if (below <= tail)
			low = k; /* rank k, the largest with P(X < k) <= tail */
		below += binomial(s->n, k, q);
		if (!high && below >= 1 - tail)
			high = k + 1;
	}
	if (low < 1 || !high)
		return;
	s->ci_low[p] = s->v[low - 1];
	s->ci_high[p] = s->v[high - 1];
}

void sample_summarise(struct sample *s)
{
	double sum = 0;

	quantile_sort(s->v, s->n);
	for (size_t i = 0; i < s->n; i++)
		sum += s->v[i];
	s->mean = s->n ? sum / (double)s->n : NAN;
	s->min = s->n ? s->v[0] : NAN;
	s->max = s->n ? s->v[s->n - 1] : NAN;
	for (int p = 0; p < PCTS; p++) {
		s->pct[p] = sample_percentile(s, pct_of(p));
		s->enough[p] = s->n >= pct_needs(p);
		interval(s, p);
	}
}

double sample_percentile(const struct sample *s, double p)
{
	return quantile_linear(s->v, s->n, p);
}

void sample_release(struct sample *s)
{
	free(s->v);
	*s = (struct sample){ .n = 0 };
}
