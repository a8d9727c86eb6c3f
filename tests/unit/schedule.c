/* The shapes of load: ramps, caps, arrivals at a rate, recorded arrivals, stages. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "replay/arrivals.h"
#include "replay/recorded.h"
#include "replay/shard.h"
#include "replay/stages.h"
#include "replay/start.h"

static struct load at_rate(enum timing timing, double hz, double burstiness)
{
	struct load l = load_closed(COUNT_NONE);

	l.timing = timing;
	l.rate = ramp_flat(hz);
	l.burstiness = burstiness;
	return l;
}

/* 1,000 requests 5 ms apart: the last at 4,995 ms, to the ns. */
static void constant_arrivals_do_not_drift(void **state)
{
	struct load l = at_rate(TIMING_CONSTANT, 200, 1);
	struct arrivals a;

	(void)state;
	arrivals_init(&a, &l, 0, 0);
	for (int64_t i = 0; i < 1000; i++)
		assert_true(arrivals_next(&a) == i * 5 * NS_PER_MS);
	l.rate = ramp_flat(3);
	arrivals_init(&a, &l, 0, 0);
	for (int64_t i = 0; i < 3000; i++)
		assert_true(llabs(arrivals_next(&a) * 3 - i * NS_PER_S) <= 2);
}

/* Variance over mean of the counts in windows of one second. */
static double dispersion(const int64_t *t, size_t n)
{
	double sum = 0, squares = 0;
	size_t windows = 0, i = 0;
	int64_t last = t[n - 1] / NS_PER_S;

	for (int64_t w = 0; w < last; w++, windows++) {
		double count = 0;

		for (; i < n && t[i] < (w + 1) * NS_PER_S; i++)
			count++;
		sum += count;
		squares += count * count;
	}
	sum /= (double)windows;
	return (squares / (double)windows - sum * sum) / sum;
}

/* Sharded by 8, each part is as random as the whole. */
static void assert_parts_are_poisson(const int64_t *t, size_t n, uint64_t seed)
{
	int64_t *part = calloc(n, sizeof(*part));
	size_t all = 0;

	for (int64_t k = 0; k < 8; k++) {
		struct shard s = { k, 8 };
		size_t m = 0;
		double d;

		for (size_t i = 0; i < n; i++)
			if (shard_has_lot(&s, seed, i))
				part[m++] = t[i];
		d = dispersion(part, m);
		assert_true(d > 0.9 && d < 1.1);
		assert_true(m > n / 8 - 500 && m < n / 8 + 500);
		all += m;
	}
	assert_int_equal(all, n);
	free(part);
}

static void poisson_arrivals_are_poisson(void **state)
{
	enum { MANY = 100000 };
	struct load l = at_rate(TIMING_POISSON, 20, 1);
	int64_t *t = calloc(MANY, sizeof(*t)), *again = calloc(MANY, sizeof(*again));
	struct arrivals a;
	double d;

	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		arrivals_init(&a, &l, seed, 0);
		for (int i = 0; i < MANY; i++)
			t[i] = arrivals_next(&a);
		d = dispersion(t, MANY);
		assert_true(d > 0.9 && d < 1.1);
		assert_parts_are_poisson(t, MANY, seed);
		/* 5,000 s, give or take four deviations. */
		assert_true(fabs((double)t[MANY - 1] / 1e9 - 5000) < 4 * 5000 / sqrt(MANY));
		arrivals_init(&a, &l, seed, 1);
		for (int i = 0; i < MANY; i++)
			again[i] = arrivals_next(&a);
		assert_true(t[0] != again[0]);
	}
	free(t);
	free(again);
}

/* Mean 1/R and squared coefficient of variation 1/B, within five standard errors and more. */
static void gamma_gaps_have_their_moments(void **state)
{
	static const double shapes[] = { 0.25, 0.5, 1, 2, 8 };
	enum { MANY = 200000 };

	(void)state;
	for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
		struct load l = at_rate(TIMING_GAMMA, 50, shapes[k]);
		double sum = 0, squares = 0, mean, cv2, want = 1 / shapes[k];
		struct arrivals a;
		int64_t before = 0;

		arrivals_init(&a, &l, 7, k);
		for (int i = 0; i < MANY; i++) {
			int64_t t = arrivals_next(&a);
			double gap = (double)(t - before) / 1e9;

			assert_true(t >= before);
			before = t;
			sum += gap;
			squares += gap * gap;
		}
		mean = sum / MANY;
		cv2 = squares / MANY / (mean * mean) - 1;
		assert_true(fabs(mean * 50 - 1) < 5 * sqrt(want / MANY));
		assert_true(fabs(cv2 / want - 1) < 0.06);
	}
}

static void a_duration_ends_arrivals(void **state)
{
	struct load l = at_rate(TIMING_CONSTANT, 10, 1);
	struct arrivals a;

	(void)state;
	l.duration_ns = NS_PER_S;
	arrivals_init(&a, &l, 0, 0);
	for (int64_t i = 0; i < 10; i++)
		assert_true(arrivals_next(&a) == i * 100 * NS_PER_MS);
	assert_true(arrivals_next(&a) == NS_NONE);
	l.timing = TIMING_BURST;
	arrivals_init(&a, &l, 0, 0);
	assert_true(arrivals_next(&a) == 0 && arrivals_next(&a) == 0);
	l = at_rate(TIMING_CONSTANT, 0, 1);
	arrivals_init(&a, &l, 0, 0);
	assert_true(arrivals_next(&a) == NS_NONE);
}

/* The integral of a ramp by ten thousand steps. */
static double naive_area(const struct ramp *r, double t_s)
{
	enum { STEPS = 10000 };
	double sum = 0;

	for (int i = 0; i < STEPS; i++)
		sum += ramp_at(r, (int64_t)((i + 0.5) * t_s / STEPS * 1e9)) * t_s / STEPS;
	return sum;
}

static void ramps_agree_with_their_integral(void **state)
{
	static const struct ramp ramps[] = {
		{ RAMP_LINEAR, 5, 5, 0 }, { RAMP_LINEAR, 0, 10, 20 * NS_PER_S },
		{ RAMP_LINEAR, 10, 2, 20 * NS_PER_S }, { RAMP_LINEAR, 10, 0, 20 * NS_PER_S },
		{ RAMP_EXPONENTIAL, 1, 100, 30 * NS_PER_S }, { RAMP_EXPONENTIAL, 100, 1, 30 * NS_PER_S },
		{ RAMP_LINEAR, 1, 64, 10 * NS_PER_S },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(ramps) / sizeof(*ramps); k++)
		for (double t = 0.5; t < 40; t += 3.7) {
			const struct ramp *r = &ramps[k];
			double area = ramp_area(r, t), naive = naive_area(r, t);

			assert_true(fabs(area - naive) < 1e-3 * (1 + naive));
			/* The inverse, where the rate is not 0. */
			if (ramp_at(r, (int64_t)(t * 1e9)) > 0)
				assert_true(fabs(ramp_time_s(r, area) - t) < 1e-6 * (1 + t));
		}
	assert_true(ramp_time_s(&ramps[3], 101) == HUGE_VAL);
	assert_true(ramp_over_ns(RAMP_LINEAR, 0, 10, 100) == 20 * NS_PER_S);
}

/* From 0 to 10 per s over 20 s: 100 requests, the k-th at sqrt(4 k) s. */
static void a_ramp_of_arrivals(void **state)
{
	struct load l = at_rate(TIMING_CONSTANT, 0, 1);
	struct arrivals a;

	(void)state;
	l.rate = (struct ramp){ RAMP_LINEAR, 0, 10, 20 * NS_PER_S };
	arrivals_init(&a, &l, 0, 0);
	for (int k = 0; k <= 100; k++)
		assert_true(fabs((double)arrivals_next(&a) / 1e9 - sqrt(4.0 * k)) < 2e-9);
	/* And on at 10 per s. */
	assert_true(llabs(arrivals_next(&a) - 20100 * NS_PER_MS) <= 2);
}

static void caps_rise_when_they_say(void **state)
{
	struct load l = load_closed(8);

	(void)state;
	assert_int_equal(load_cap(&l, 0), 8);
	assert_true(load_cap_rises_ns(&l, 0) == INT64_MAX);
	l.cap = (struct ramp){ RAMP_LINEAR, 1, 8, 7 * NS_PER_S };
	for (int64_t t = 0; t < 7; t++) {
		assert_int_equal(load_cap(&l, t * NS_PER_S), t + 1);
		assert_true(load_cap_rises_ns(&l, t * NS_PER_S) == (t + 1) * NS_PER_S);
		assert_true(load_cap_rises_ns(&l, t * NS_PER_S + 1) == (t + 1) * NS_PER_S);
	}
	assert_true(load_cap_rises_ns(&l, 7 * NS_PER_S) == INT64_MAX);
	l.cap = (struct ramp){ RAMP_EXPONENTIAL, 1, 8, 3 * NS_PER_S };
	assert_int_equal(load_cap(&l, NS_PER_S), 2);
	assert_int_equal(load_cap(&l, 2 * NS_PER_S), 4);
	l.cap = (struct ramp){ RAMP_LINEAR, 8, 1, 7 * NS_PER_S };
	assert_int_equal(load_cap(&l, 3500 * NS_PER_MS), 4);
	assert_true(load_cap_rises_ns(&l, 0) == INT64_MAX);
}

static const struct recorded_opts plain = { 1, NS_NONE, NS_NONE, NS_NONE };

static void recorded_times_count_from_the_first(void **state)
{
	int64_t hour = 3600 * NS_PER_S;
	/* To the ns, however late: no double stands between. */
	int64_t t[] = { hour + INT64_C(8640000000000001), hour, hour + 100, hour + 100 };
	static const size_t order[] = { 1, 2, 3, 0 };
	struct recorded r;
	struct err e;

	(void)state;
	assert_int_equal(recorded_init(&r, t, 4, &plain, true, &e), 0);
	for (size_t k = 0; k < 4; k++) {
		assert_int_equal(r.item[k], order[k]);
		assert_true(recorded_due_ns(&r, k) == t[order[k]] - hour);
	}
	recorded_release(&r);
	/* Untimed, the order is the source's, and times need not be known. */
	t[2] = NS_NONE;
	assert_int_equal(recorded_init(&r, t, 4, &plain, true, &e), -1);
	assert_int_equal(recorded_init(&r, t, 4, &plain, false, &e), 0);
	assert_int_equal(r.item[0], 0);
	recorded_release(&r);
}

static void speed_divides_and_passes_follow(void **state)
{
	struct recorded_opts o = plain;
	int64_t t[] = { 0, NS_PER_S, 2 * NS_PER_S };
	struct recorded r;
	struct err e;

	(void)state;
	o.speed = 0.5;
	assert_int_equal(recorded_init(&r, t, 3, &o, true, &e), 0);
	assert_true(recorded_due_ns(&r, 2) == 4 * NS_PER_S);
	/* The second pass begins one mean gap after the first one's last, as if the source went on. */
	assert_true(recorded_due_ns(&r, 3) == 6 * NS_PER_S);
	assert_true(recorded_due_ns(&r, 8) == 16 * NS_PER_S);
	recorded_release(&r);
	o.speed = 1e-300;
	assert_int_equal(recorded_init(&r, t, 3, &o, true, &e), 0);
	assert_true(recorded_due_ns(&r, 2) == INT64_MAX);
	recorded_release(&r);
	assert_int_equal(recorded_init(&r, t, 1, &plain, true, &e), 0);
	assert_true(recorded_due_ns(&r, 9) == 0);
	recorded_release(&r);
}

static void windows_and_gaps(void **state)
{
	struct recorded_opts o = { 1, 2 * NS_PER_S, NS_PER_S, 100 * NS_PER_S };
	int64_t t[] = { 50, 51, 52, 60, 150 };
	struct recorded r;
	struct err e;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		t[i] *= NS_PER_S;
	/* From 1 s after the first to before 100 s after it: 51, 52, 60; the gap of 8 s becomes 2. */
	assert_int_equal(recorded_init(&r, t, 5, &o, true, &e), 0);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.item[0], 1);
	assert_true(recorded_due_ns(&r, 1) == NS_PER_S);
	assert_true(recorded_due_ns(&r, 2) == 3 * NS_PER_S);
	recorded_release(&r);
	o.to_ns = 100 * NS_PER_S + 1;
	assert_int_equal(recorded_init(&r, t, 5, &o, false, &e), 0);
	assert_int_equal(r.n, 4);
	recorded_release(&r);
	o.from_ns = 200 * NS_PER_S;
	o.to_ns = NS_NONE;
	assert_int_equal(recorded_init(&r, t, 5, &o, true, &e), -1);
	assert_non_null(strstr(e.msg, "--from"));
}

static void stages_are_read(void **state)
{
	static const char text[] =
		"# warm, then hot\n"
		"30s rate 5\n"
		"\n"
		"1m rate 5..50 exponential  # up\n"
		"10s pause\n"
		"20s concurrency 1..8\n"
		"20s concurrency 8";
	struct stage_opts o = { TIMING_POISSON, 1, COUNT_NONE };
	struct load *l;
	size_t n;
	struct err e;

	(void)state;
	assert_int_equal(stages_parse(text, sizeof(text) - 1, "x", &o, &l, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_int_equal(l[0].timing, TIMING_POISSON);
	assert_true(l[0].rate.to == 5 && l[0].duration_ns == 30 * NS_PER_S);
	assert_false(l[0].follows);
	assert_true(l[1].follows);
	assert_int_equal(l[1].rate.shape, RAMP_EXPONENTIAL);
	assert_true(l[1].rate.from == 5 && l[1].rate.to == 50 && l[1].rate.over_ns == 60 * NS_PER_S);
	assert_true(l[2].rate.to == 0);
	assert_int_equal(l[3].timing, TIMING_CLOSED);
	assert_int_equal(load_cap(&l[3], 0), 1);
	assert_int_equal(load_cap(&l[3], 20 * NS_PER_S), 8);
	assert_int_equal(l[4].concurrency, 8);
	free(l);
}

static void bad_stages_name_their_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "no stage" }, { "30s rate 5\nrate 5\n", "line 2" }, { "30s rate\n", "line 1" },
		{ "30s rat 5\n", "'rat'" }, { "30s rate x\n", "'x'" }, { "30s rate 5..\n", "'5'" },
		{ "30s rate 0\n", "pause" }, { "30s rate 0..5 exponential\n", "exponential" },
		{ "30s concurrency 1.5\n", "whole" }, { "30s concurrency 0\n", "from 1" },
		{ "30s rate 1..2 steep\n", "'steep'" }, { "30s rate 1 linear 3\n", "too many" },
		{ "0s rate 1\n", "'0s'" }, { "30s rate 1e99\n", "at most" }, { "30s pause 5\n", "pause" },
	};
	struct stage_opts o = { TIMING_POISSON, 1, COUNT_NONE };
	struct load *l;
	size_t n;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(stages_parse(bad[i].text, strlen(bad[i].text), "x", &o, &l, &n, &e), -1);
		if (!strstr(e.msg, bad[i].says))
			fail_msg("%s: %s", bad[i].text, e.msg);
	}
}

static void shards_are_named(void **state)
{
	static const char *const bad[] = { "", "1", "/", "1/", "/2", "2/2", "-1/2", "0/0", "a/b", "1/2/3",
					   "auto", "auto/", "auto/x", "0/9999999999" };
	struct shard s;
	struct err e;

	(void)state;
	unsetenv("SLURM_PROCID");
	unsetenv("JOB_COMPLETION_INDEX");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(shard_parse(bad[i], &s, &e), -1);
	assert_int_equal(shard_parse("3/8", &s, &e), 0);
	assert_true(s.index == 3 && s.count == 8);
	setenv("JOB_COMPLETION_INDEX", "2", 1);
	assert_int_equal(shard_parse("auto", &s, &e), -1);
	assert_int_equal(shard_parse("auto/4", &s, &e), 0);
	assert_true(s.index == 2 && s.count == 4);
	setenv("SLURM_PROCID", "5", 1);
	setenv("SLURM_NTASKS", "6", 1);
	assert_int_equal(shard_parse("auto", &s, &e), 0);
	assert_true(s.index == 5 && s.count == 6);
}

static void starts_are_times(void **state)
{
	static const char *const bad[] = { "", "soon", "+", "+5x", "-5", "2026-12-01", "12:00",
					   "99999999999", "1.5.2", "1e9" };
	int64_t now = INT64_C(1764590400) * NS_PER_S, t;
	struct err e;

	(void)state;
	assert_int_equal(start_parse("+1.5s", now, &t, &e), 0);
	assert_true(t == now + 1500 * NS_PER_MS);
	assert_int_equal(start_parse("2025-12-01T12:00:01Z", now, &t, &e), 0);
	assert_true(t == now + NS_PER_S);
	assert_int_equal(start_parse("2025-12-01T14:00:01.25+02:00", now, &t, &e), 0);
	assert_true(t == now + 1250 * NS_PER_MS);
	assert_int_equal(start_parse("1764590401.000000001", now, &t, &e), 0);
	assert_true(t == now + NS_PER_S + 1);
	assert_int_equal(start_parse("1764590399", now, &t, &e), -1);
	assert_non_null(strstr(e.msg, "ago"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (start_parse(bad[i], now, &t, &e) == 0)
			fail_msg("'%s' is taken for a time", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_arrivals_do_not_drift),
		cmocka_unit_test(poisson_arrivals_are_poisson),
		cmocka_unit_test(gamma_gaps_have_their_moments),
		cmocka_unit_test(a_duration_ends_arrivals),
		cmocka_unit_test(ramps_agree_with_their_integral),
		cmocka_unit_test(a_ramp_of_arrivals),
		cmocka_unit_test(caps_rise_when_they_say),
		cmocka_unit_test(recorded_times_count_from_the_first),
		cmocka_unit_test(speed_divides_and_passes_follow),
		cmocka_unit_test(windows_and_gaps),
		cmocka_unit_test(stages_are_read),
		cmocka_unit_test(bad_stages_name_their_line),
		cmocka_unit_test(shards_are_named),
		cmocka_unit_test(starts_are_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
