/*
 * Whether the measuring client was itself the limit: its records of health (REC_CLIENT,
 * one about each second) against stated limits.
 */
#ifndef TRACE_HEALTH_H
#define TRACE_HEALTH_H

#include "formats/trace/record.h"

/*
 * A second is bad if the busiest event loop used so much of its core that it had no reserve,
 * or turned so late, or sent so late that latencies are off by a fifth of the usual TTFT
 * target of 500 ms.  A run is client-limited if more than one second in ten is bad.
 */
#define HEALTH_CPU_SHARE 0.9
enum { HEALTH_LAG_MS = 100, HEALTH_BAD_PERCENT = 10 };

struct health {
	size_t n;                        /* records */
	size_t busy, lagging, late;      /* of them: CPU, loop lag, send lag past its limit */
	double cpu_share_max;            /* NaN: unknown */
	int64_t loop_lag_max_ns, send_lag_max_ns; /* NS_NONE: unknown */
	int64_t events, coalesced;       /* COUNT_NONE: unknown */
};

void health_init(struct health *h);
void health_add(struct health *h, const struct rec_client *c);

bool health_limited(const struct health *h);
/* "its event loop used up to 97 % of a core", ... for a limited one; else "". */
void health_reason(const struct health *h, char *out, size_t size);

#endif
