/*
 * Throughput windows: first t0 to greatest last of the measured requests of one phase of one
 * run.  Clocks of different runs are never mixed: windows are added, not joined.
 */
#ifndef ANALYZE_WINDOW_H
#define ANALYZE_WINDOW_H

#include "analyze/request.h"

struct window {
	size_t run;
	int64_t phase;             /* COUNT_NONE: requests without one */
	int64_t first_ns, last_ns; /* NS_NONE: nothing seen */
};

/* A time of the request's segment on the clock of its run; NS_NONE stays. */
static inline int64_t on_run_clock(const struct request *r, int64_t t_ns)
{
	return t_ns == NS_NONE ? NS_NONE : t_ns + r->offset_ns;
}

struct windows {
	struct window *w;
	size_t n, cap;
};

/* Widens the request's window by it; its index, or -1: out of memory. */
ptrdiff_t windows_add(struct windows *ws, const struct request *r);
static inline double window_s(const struct window *w)
{
	return w->first_ns == NS_NONE || w->last_ns == NS_NONE ? 0
		: (double)(w->last_ns - w->first_ns) / (double)NS_PER_S;
}
void windows_release(struct windows *ws);

/* When a request was in flight: t0 to its last token event, else to its end; NS_NONE: unknown. */
int64_t request_over_ns(const struct request *r);

/* Greatest number in flight at once of n requests that share one clock; sorts them.  One that ends when another begins is not beside it. */
struct flight {
	int64_t t_ns;
	int change; /* +1 begins, -1 ends */
};
size_t peak_concurrency(struct flight *f, size_t n);

#endif
