#include <config.h>

#include "formats/base/quantile.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void quantile_sort(double *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), ascending);
}

double quantile_linear(const double *sorted, size_t n, double p)
{
	double rank, low;
	size_t i;

	if (n == 0)
		return NAN;
	rank = p * (double)(n - 1) / 100;
	low = floor(rank);
	i = (size_t)low;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (sorted[i + 1] - sorted[i]) * (rank - low);
}

double quantile_nearest(const double *sorted, size_t n, double p)
{
	double rank;

	if (n == 0)
		return NAN;
	/* p*n/100 in this order: 7*100/100 is exactly 7, where 7/100*100 is not. */
	rank = ceil(p * (double)n / 100);
	if (rank < 1)
		rank = 1;
	return sorted[rank > (double)n ? n - 1 : (size_t)rank - 1];
}
