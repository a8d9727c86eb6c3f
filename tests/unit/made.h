/*
 * Exchanges made by hand, for tests of metrics: one trace at a time, phase 1 measured at
 * concurrency 4, phase 0 a warm-up.
 */
#ifndef TESTS_UNIT_MADE_H
#define TESTS_UNIT_MADE_H

#include "analyze/analysis.h"

enum { MADE_MAX = 2100 };
#define MS NS_PER_MS

/* Set up and tear down of each test (cmocka). */
int made_reset(void **state);
int made_release(void **state);

/* One more exchange, ok and with no event yet. */
struct exchange *begin(int64_t sent_ms);
void event(struct exchange *x, int64_t at_ms, enum event_class cls, int32_t choice, int64_t cum,
	   unsigned flags, const char *text);
void token(struct exchange *x, int64_t at_ms);
void token_cum(struct exchange *x, int64_t at_ms, int64_t cum);
/* The finish event; n: the usage that the engine gave. */
void finish(struct exchange *x, int64_t at_ms, int64_t n);
/* One more exchange that failed. */
void failed(enum status s, const char *kind);

struct analysis analyse(void);
void near(double got, double want);
void gaps_are(const struct choice *c, size_t n, const double *want);

#endif
