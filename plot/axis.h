/*
 * An axis: the range that shows all values, and where its tics stand.  Everything is
 * decided here and written out, so that gnuplot never guesses and never warns.
 */
#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { AXIS_TICS = 40 };

struct axis {
	bool log;
	double base;              /* of the log: 10, or 2 for concurrency */
	double lo, hi;            /* lo < hi; lo > 0 if log */
	double tics[AXIS_TICS];   /* ascending, within [lo, hi] */
	size_t n_tics;
};

/* The least and greatest of the finite values; NaN are skipped. */
struct extent {
	size_t n;                 /* values seen */
	size_t n_positive;
	double min, max;          /* NaN if n is 0 */
	double min_positive;      /* NaN if n_positive is 0 */
};

void extent_init(struct extent *x);
void extent_add(struct extent *x, double v);

/* Linear from 0 to above the greatest: quantities whose height is read, not its place. */
void axis_from_zero(struct axis *a, const struct extent *x);
/* Logarithmic, base 10, padded; needs a positive value. */
void axis_log(struct axis *a, const struct extent *x);
/* Logarithmic if the positive values spread over more than 20, else from zero. */
void axis_spread(struct axis *a, const struct extent *x);
/*
 * One tic at each level, the levels being ascending and distinct; logarithmic, base 2,
 * if they span more than 4.  Tics nearer than min_gap (share of the axis) are left out.
 */
void axis_levels(struct axis *a, const double *levels, size_t n, double min_gap);

#endif
