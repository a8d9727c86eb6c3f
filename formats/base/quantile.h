/*
 * Percentiles of exact samples, by the two rules in use.
 */
#ifndef BASE_QUANTILE_H
#define BASE_QUANTILE_H

#include <stddef.h>

/* Ascending; NaN must not be among them. */
void quantile_sort(double *v, size_t n);

/*
 * Linear interpolation between the neighbours of rank p/100*(n-1): Hyndman and Fan's
 * type 7, numpy's default, and the method of every table of toktrace.
 * sorted: ascending.  p in 0..100.  NaN if n is 0.
 */
double quantile_linear(const double *sorted, size_t n, double p);

/* Nearest rank: the ceil(p*n/100)-th smallest, at least the first. */
double quantile_nearest(const double *sorted, size_t n, double p);

#endif
