#include <config.h>

#include "formats/trace/health.h"

#include <math.h>
#include <stdio.h>

#include "formats/base/clock.h"

void health_init(struct health *h)
{
	*h = (struct health){
		.cpu_share_max = NAN, .loop_lag_max_ns = NS_NONE, .send_lag_max_ns = NS_NONE,
		.events = COUNT_NONE, .coalesced = COUNT_NONE,
	};
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b; /* NS_NONE is the least of all */
}

static int64_t sum(int64_t a, int64_t b)
{
	if (b == COUNT_NONE)
		return a;
	return a == COUNT_NONE ? b : a + b;
}

void health_add(struct health *h, const struct rec_client *c)
{
	const int64_t limit_ns = HEALTH_LAG_MS * NS_PER_MS;

	h->n++;
	h->busy += c->cpu_share >= HEALTH_CPU_SHARE;
	h->lagging += c->loop_lag_max_ns >= limit_ns;
	h->late += c->send_lag_max_ns >= limit_ns;
	if (!(h->cpu_share_max >= c->cpu_share))
		h->cpu_share_max = c->cpu_share;
	h->loop_lag_max_ns = larger(h->loop_lag_max_ns, c->loop_lag_max_ns);
	h->send_lag_max_ns = larger(h->send_lag_max_ns, c->send_lag_max_ns);
	h->events = sum(h->events, c->events);
	h->coalesced = sum(h->coalesced, c->coalesced);
}

static bool too_many(const struct health *h, size_t bad)
{
	return bad * 100 > h->n * HEALTH_BAD_PERCENT;
}

bool health_limited(const struct health *h)
{
	return too_many(h, h->busy) || too_many(h, h->lagging) || too_many(h, h->late);
}

void health_reason(const struct health *h, char *out, size_t size)
{
	*out = '\0';
	if (too_many(h, h->busy))
		snprintf(out, size, "its event loop used up to %.0f %% of a core, 90 %% or more in %zu of "
			 "%zu seconds", h->cpu_share_max * 100, h->busy, h->n);
	else if (too_many(h, h->late))
		snprintf(out, size, "requests were sent up to %.0f ms late, %d ms or more in %zu of %zu "
			 "seconds", (double)h->send_lag_max_ns / (double)NS_PER_MS, HEALTH_LAG_MS,
			 h->late, h->n);
	else if (too_many(h, h->lagging))
		snprintf(out, size, "its event loop was up to %.0f ms late, %d ms or more in %zu of %zu "
			 "seconds", (double)h->loop_lag_max_ns / (double)NS_PER_MS, HEALTH_LAG_MS,
			 h->lagging, h->n);
}
