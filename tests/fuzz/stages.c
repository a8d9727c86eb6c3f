/* A file of stages of any bytes: loads that can be run, or a message. */
#include <config.h>

#include <stdlib.h>

#include "formats/base/clock.h"
#include "replay/arrivals.h"
#include "replay/stages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_load(const struct load *l)
{
	struct arrivals a;
	int64_t t, before = 0;

	if (l->duration_ns <= 0 || load_cap(l, 0) < 1 || load_cap(l, l->duration_ns) < 1)
		abort();
	if (l->timing == TIMING_CLOSED)
		return;
	arrivals_init(&a, l, 0, 0);
	for (int i = 0; i < 100 && (t = arrivals_next(&a)) != NS_NONE; i++) {
		if (t < before || t >= l->duration_ns)
			abort();
		before = t;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stage_opts o = { TIMING_GAMMA, 0.5, COUNT_NONE };
	struct load *loads;
	size_t n;
	struct err e = { "" };

	if (stages_parse((const char *)data, size, "x", &o, &loads, &n, &e) < 0) {
		if (!e.msg[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		check_load(&loads[i]);
	free(loads);
	return 0;
}
