/* health: when a client counts as the limit. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/trace/health.h"

/* A second of a client that is well. */
static struct rec_client well(void)
{
	struct record r;

	record_init(&r, REC_CLIENT);
	r.u.client.cpu_share = 0.2;
	r.u.client.loop_lag_max_ns = r.u.client.send_lag_max_ns = NS_PER_MS;
	r.u.client.events = 100;
	r.u.client.coalesced = 3;
	return r.u.client;
}

static void add(struct health *h, int times, struct rec_client c)
{
	while (times-- > 0)
		health_add(h, &c);
}

static void nothing_known_is_no_verdict(void **state)
{
	struct record r;
	struct health h;
	char why[160];

	(void)state;
	health_init(&h);
	assert_false(health_limited(&h));
	record_init(&r, REC_CLIENT);
	add(&h, 5, r.u.client);
	assert_false(health_limited(&h));
	assert_true(isnan(h.cpu_share_max));
	assert_true(h.loop_lag_max_ns == NS_NONE && h.events == COUNT_NONE);
	health_reason(&h, why, sizeof(why));
	assert_string_equal(why, "");
}

static void one_second_in_ten_is_borne(void **state)
{
	struct rec_client bad = well();
	struct health h;
	char why[160];

	(void)state;
	bad.cpu_share = 0.95;
	health_init(&h);
	add(&h, 9, well());
	add(&h, 1, bad);
	assert_false(health_limited(&h));
	add(&h, 1, bad);
	assert_true(health_limited(&h));
	health_reason(&h, why, sizeof(why));
	assert_string_equal(why, "its event loop used up to 95 % of a core, 90 % or more in 2 of 11 seconds");
	assert_int_equal(h.events, 1100);
	assert_int_equal(h.coalesced, 33);
}

static void lags_at_their_limit(void **state)
{
	struct rec_client c = well();
	struct health h;
	char why[160];

	(void)state;
	c.send_lag_max_ns = 100 * NS_PER_MS - 1;
	c.loop_lag_max_ns = 100 * NS_PER_MS - 1;
	c.cpu_share = 0.899;
	health_init(&h);
	add(&h, 3, c);
	assert_false(health_limited(&h));
	c.send_lag_max_ns = 250 * NS_PER_MS;
	health_init(&h);
	add(&h, 1, c);
	health_reason(&h, why, sizeof(why));
	assert_string_equal(why, "requests were sent up to 250 ms late, 100 ms or more in 1 of 1 seconds");
	c = well();
	c.loop_lag_max_ns = 100 * NS_PER_MS;
	health_init(&h);
	add(&h, 2, c);
	health_reason(&h, why, sizeof(why));
	assert_string_equal(why, "its event loop was up to 100 ms late, 100 ms or more in 2 of 2 seconds");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_is_no_verdict),
		cmocka_unit_test(one_second_in_ten_is_borne),
		cmocka_unit_test(lags_at_their_limit),
	};

	return cmocka_run_group_tests_name("health", tests, NULL, NULL);
}
