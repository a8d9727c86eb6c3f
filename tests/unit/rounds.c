/* Rounds and scenarios of a plan: which phases there are, and which prompts are alike. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "replay/plan.h"

static struct load loads[2];
static const int64_t counts[] = { 2, 3 };

static struct plan_opts options(const struct scenario *sc, size_t n)
{
	loads[0] = load_closed(1);
	loads[1] = load_closed(4);
	return (struct plan_opts){
		.loads = loads, .n_levels = 2, .counts = counts, .n_counts = 2,
		.recorded = { 1, NS_NONE, NS_NONE, NS_NONE }, .shard = { 0, 1 },
		.rounds = 3, .warmups = 2, .cool_down_ns = 7, .scenarios = sc, .n_scenarios = n,
		.req = { .max_tokens = COUNT_NONE },
	};
}

/* The plan of two scenarios under a cache mode. */
static void build(enum cache_mode cache, struct scenario **sc, struct source *s, struct plan *p)
{
	struct plan_opts o;
	struct err e;
	size_t n;

	assert_int_equal(scenario_parse("1k:8,50:4", sc, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(scenario_source(*sc, n, s, &e), 0);
	o = options(*sc, n);
	o.cache = cache;
	assert_int_equal(plan_build(s, &o, p, &e), 0);
}

static void tear_down(struct scenario *sc, struct source *s, struct plan *p)
{
	plan_release(p);
	source_release(s);
	free(sc);
}

static void phases_stand_in_order(void **state)
{
	struct scenario *sc;
	struct source s;
	struct plan p;
	size_t first = 0;

	(void)state;
	build(CACHE_AS_RECORDED, &sc, &s, &p);
	assert_int_equal(p.n_phases, 2 * 2 * (1 + 3));
	for (size_t i = 0; i < p.n_phases; i++) {
		const struct plan_phase *ph = &p.phases[i];
		size_t level = i / 4 % 2, in_level = i % 4;

		assert_int_equal(ph->scenario, i / 8);
		assert_int_equal(ph->kind, in_level == 0 ? PHASE_WARMUP : PHASE_ROUND);
		assert_int_equal(ph->load.concurrency, level ? 4 : 1);
		assert_int_equal(ph->n, in_level == 0 ? 2 : (size_t)counts[level]);
		assert_int_equal(ph->first, first);
		if (in_level)
			assert_int_equal(ph->round, in_level);
		/* Rest comes after a round, not between a warm-up and its round. */
		assert_int_equal(ph->pause_ns, i > 0 && in_level != 1 ? 7 : 0);
		first += ph->n;
	}
	assert_int_equal(p.n, first);
	assert_int_equal(p.n, 2 * (2 + 3 * 2 + 2 + 3 * 3));
	assert_int_equal(p.wrapped, 0);
	assert_int_equal(p.e[0].facts.max_tokens, 8);
	assert_int_equal(p.e[p.n - 1].facts.max_tokens, 4);
	tear_down(sc, &s, &p);
}

static void cold_prompts_are_all_different(void **state)
{
	(void)state;
	for (int mode = CACHE_AS_RECORDED; mode <= CACHE_COLD; mode++) {
		struct scenario *sc;
		struct source s;
		struct plan p;

		build((enum cache_mode)mode, &sc, &s, &p);
		for (size_t i = 0; i < p.n; i++)
			for (size_t k = i + 1; k < p.n; k++)
				assert_string_not_equal(p.e[i].digest, p.e[k].digest);
		tear_down(sc, &s, &p);
	}
}

static void warm_prompts_were_sent_before(void **state)
{
	struct scenario *sc;
	struct source s;
	struct plan p;

	(void)state;
	build(CACHE_WARM, &sc, &s, &p);
	for (size_t i = 0; i < p.n_phases; i++) {
		const struct plan_phase *ph = &p.phases[i], *warm = &p.phases[i - i % 4];

		for (size_t k = 0; k < ph->n && k < warm->n; k++)
			assert_string_equal(p.e[ph->first + k].digest, p.e[warm->first + k].digest);
	}
	tear_down(sc, &s, &p);
}

static void mistakes_are_named(void **state)
{
	static const char *const bad[] = { "", "8k", "8k:", ":5", "0:5", "5:0", "8k:256,", "a:b",
					   "8k:1,8192:1", "1:2:3", "8k:-1" };
	struct scenario *sc;
	struct err e;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(scenario_parse(bad[i], &sc, &n, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_stand_in_order),
		cmocka_unit_test(cold_prompts_are_all_different),
		cmocka_unit_test(warm_prompts_were_sent_before),
		cmocka_unit_test(mistakes_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
