/* Samples of one metric and what is said of them. */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stdbool.h>
#include <stddef.h>

enum { PCT_50, PCT_90, PCT_95, PCT_99, PCTS };
/* 50, 90, 95, 99. */
double pct_of(int p);
/*
 * Fewest samples for which the percentile has a two-sided-free upper bound at 99 %: 11, 64,
 * 130, 662 (1 - p^n and its complement by the binomial; the MLPerf inference rules give the
 * same numbers).
 */
size_t pct_needs(int p);

struct sample {
	double *v;      /* owned; ascending after sample_summarise() */
	size_t n, cap;
	double mean, min, max;        /* NaN if n is 0 */
	double pct[PCTS];             /* linear interpolation */
	double ci_low[PCTS], ci_high[PCTS]; /* 99 % interval by order statistics; NaN if n is too small for one */
	bool enough[PCTS];            /* n >= pct_needs() */
};

/* NaN is not taken.  0, or -1: out of memory. */
int sample_add(struct sample *s, double v);
void sample_summarise(struct sample *s);
/* Any percentile, after sample_summarise(). */
double sample_percentile(const struct sample *s, double p);
void sample_release(struct sample *s);

#endif
