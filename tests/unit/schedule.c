/* schedule: intended times from one epoch, at any speed, over several passes. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/base/clock.h"
#include "replay/schedule.h"

static void closed_loop_has_no_intended_time(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, TIMING_CLOSED, 1, 0, 1000, 2);
	assert_true(schedule_intended_ns(&s, 500, 0) == NS_NONE);
}

static void recorded_times_count_from_the_first(void **state)
{
	struct schedule s;
	int64_t hour = 3600 * NS_PER_S;

	(void)state;
	schedule_init(&s, TIMING_RECORDED, 1, hour, hour + 500 * NS_PER_MS, 6);
	for (int64_t i = 0; i < 6; i++)
		assert_true(schedule_intended_ns(&s, hour + i * 100 * NS_PER_MS, 0) ==
			    i * 100 * NS_PER_MS);
	/* To the ns, however late: no double stands between. */
	assert_true(schedule_intended_ns(&s, hour + INT64_C(86400000000000001), 0) ==
		    INT64_C(86400000000000001));
}

static void speed_divides(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, TIMING_RECORDED, 10, 0, 3 * NS_PER_S, 4);
	assert_true(schedule_intended_ns(&s, 3 * NS_PER_S, 0) == 300 * NS_PER_MS);
	schedule_init(&s, TIMING_RECORDED, 0.5, 0, 3 * NS_PER_S, 4);
	assert_true(schedule_intended_ns(&s, 3 * NS_PER_S, 0) == 6 * NS_PER_S);
	schedule_init(&s, TIMING_RECORDED, 1e-300, 0, 3 * NS_PER_S, 4);
	assert_true(schedule_intended_ns(&s, 3 * NS_PER_S, 0) == INT64_MAX);
}

/* Arrivals 0, 1, 2 s: the second pass begins at 3 s, as if the source went on. */
static void passes_follow_one_mean_gap_apart(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, TIMING_RECORDED, 1, 0, 2 * NS_PER_S, 3);
	assert_true(schedule_intended_ns(&s, 0, 1) == 3 * NS_PER_S);
	assert_true(schedule_intended_ns(&s, 2 * NS_PER_S, 2) == 8 * NS_PER_S);
	schedule_init(&s, TIMING_RECORDED, 1, 5, 5, 1);
	assert_true(schedule_intended_ns(&s, 5, 9) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop_has_no_intended_time),
		cmocka_unit_test(recorded_times_count_from_the_first),
		cmocka_unit_test(speed_divides),
		cmocka_unit_test(passes_follow_one_mean_gap_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
