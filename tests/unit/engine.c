/* engine: the simulated engine in virtual time. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/rng.h"
#include "replay/engine.h"

/* Round numbers, no jitter: expectations can be added up by hand. */
static struct profile plain(void)
{
	struct profile p;

	profile_init(&p);
	p.max_model_len = 10000;
	p.max_num_seqs = 4;
	p.max_batched_tokens = 100;
	p.kv_tokens = 16000;
	p.block_tokens = 16;
	p.step_base_us = 1000;
	p.step_sequence_us = 10;
	p.step_context_ns = 100;
	p.prefill_token_us = 20;
	p.prefill_pair_ns = 0;
	p.request_us = 500;
	p.request_token_us = 1;
	p.jitter = 0;
	return p;
}

/* What one request saw. */
struct seen {
	struct engine_seq *seq;
	int64_t tokens, first_ns, last_ns;
	bool ended;
};

static void see(void *arg, const struct engine_event *ev)
{
	struct seen *s = ev->user;

	(void)arg;
	assert_false(s->ended);
	assert_int_equal(ev->token, s->tokens + 1);
	assert_true(s->tokens == 0 || ev->t_ns > s->last_ns);
	if (s->tokens++ == 0)
		s->first_ns = ev->t_ns;
	s->last_ns = ev->t_ns;
	s->ended = ev->last;
}

static struct engine_seq *submit(struct engine *e, int64_t t_ns, int64_t prompt, int64_t output,
				 void *user)
{
	return engine_submit(e, t_ns, &(struct engine_request){ .prompt_tokens = prompt,
								.output_tokens = output,
								.user = user });
}

static void one_request_takes_request_cost_prefill_and_steps(void **state)
{
	struct profile p = plain();
	struct engine *e = engine_create(&p, 1);
	struct seen s = { 0 };

	(void)state;
	assert_non_null(submit(e, 0, 250, 3, &s));
	engine_advance(e, ENGINE_NEVER, see, NULL);
	/*
	 * 500 + 250 us to the queue; chunks of 100, 100, 50: 3 * 1000 + 250 * 20 us; then
	 * two decodes with contexts 250 and 251: 1000 + 10 + 25 and 1000 + 10 + 25.1 us.
	 */
	assert_int_equal(s.first_ns, 8750 * NS_PER_US);
	assert_int_equal(s.last_ns, s.first_ns + 2070100);
	assert_int_equal(s.tokens, 3);
	assert_true(s.ended);
	assert_true(engine_next_ns(e) == ENGINE_NEVER);
	engine_free(e);
}

static void a_prompt_costs_its_square_in_any_chunks(void **state)
{
	struct profile p = plain();

	(void)state;
	p.step_base_us = 0.001;
	p.prefill_pair_ns = 2;
	for (int64_t chunk = 100; chunk <= 1600; chunk *= 4) {
		struct engine *e;
		struct seen s = { 0 };

		p.max_batched_tokens = chunk;
		e = engine_create(&p, 1);
		submit(e, 0, 1600, 1, &s);
		engine_advance(e, ENGINE_NEVER, see, NULL);
		/* 500 + 1600 + 1600 * 20 us + 2 ns * 1600 * 1600 / 2 */
		assert_true(llabs(s.first_ns - 36660 * NS_PER_US) < 1000);
		engine_free(e);
	}
}

static void a_larger_batch_makes_slower_steps(void **state)
{
	struct profile p = plain();
	struct engine *e = engine_create(&p, 1);
	struct seen s[4] = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		submit(e, 0, 10, 2, &s[i]);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	/* One step with all prompts: 1000 + 40 * 20; then 1000 + 4 * 10 + 40 * 0.1 us. */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(s[i].first_ns, (510 + 1800) * NS_PER_US);
		assert_int_equal(s[i].last_ns - s[i].first_ns, 1044 * NS_PER_US);
	}
	engine_free(e);
}

static void decodes_go_on_while_a_prompt_is_computed(void **state)
{
	struct profile p = plain();
	struct engine *e = engine_create(&p, 1);
	struct seen a = { 0 }, b = { 0 };

	(void)state;
	submit(e, 0, 10, 50, &a);
	submit(e, 5 * NS_PER_MS, 400, 1, &b);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	/* 400 prompt tokens beside a decode: 99 a step, so five steps, each with a token of a. */
	assert_true(b.first_ns > 5 * NS_PER_MS + (900 + 5 * 1000 + 400 * 20) * NS_PER_US);
	assert_true(b.first_ns < 5 * NS_PER_MS + (900 + 6 * 1020 + 400 * 20 + 100) * NS_PER_US);
	assert_int_equal(a.tokens, 50);
	engine_free(e);
}

static void the_fifth_waits_for_a_slot(void **state)
{
	struct profile p = plain();
	struct engine *e = engine_create(&p, 1);
	struct engine_stats st;
	struct seen s[5] = { 0 };

	(void)state;
	for (int i = 0; i < 5; i++)
		submit(e, 0, 10, 10 + i, &s[i]);
	engine_advance(e, 3 * NS_PER_MS, see, NULL);
	engine_stats(e, &st);
	assert_int_equal(st.running, 4);
	assert_int_equal(st.waiting, 1);
	assert_int_equal(st.kv_used_tokens, 64);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	assert_true(s[4].first_ns > s[0].last_ns);
	assert_true(s[4].first_ns < s[1].last_ns + 2 * NS_PER_MS);
	engine_free(e);
}

static void a_full_cache_queues_and_preempts(void **state)
{
	struct profile p = plain();
	struct engine *e;
	struct engine_stats st;
	struct seen s[3] = { 0 };

	(void)state;
	p.max_model_len = 160;
	p.kv_tokens = 160;
	e = engine_create(&p, 1);
	/* 64 + 64 + 64 do not fit into 160; and two that grow to 104 preempt one of them. */
	for (int i = 0; i < 3; i++)
		submit(e, 0, 64, 40, &s[i]);
	engine_advance(e, 4 * NS_PER_MS, see, NULL);
	engine_stats(e, &st);
	assert_int_equal(st.running, 2);
	assert_int_equal(st.waiting, 1);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	engine_stats(e, &st);
	assert_true(st.preemptions > 0);
	for (int i = 0; i < 3; i++)
		assert_true(s[i].ended && s[i].tokens == 40);
	assert_true(s[0].last_ns < s[1].last_ns && s[1].last_ns < s[2].last_ns);
	assert_int_equal(st.kv_used_tokens, 0);
	assert_int_equal(st.prompt_tokens, 3 * 64);
	assert_int_equal(st.generation_tokens, 3 * 40);
	engine_free(e);
}

static void a_client_that_leaves_frees_its_slot(void **state)
{
	struct profile p = plain();
	struct engine *e;
	struct engine_stats st;
	struct seen s[3] = { 0 };

	(void)state;
	p.max_num_seqs = 1;
	e = engine_create(&p, 1);
	for (int i = 0; i < 3; i++)
		s[i].seq = submit(e, 0, 10, 100, &s[i]);
	engine_advance(e, 10 * NS_PER_MS, see, NULL);
	assert_true(s[0].tokens > 0);
	engine_cancel(e, s[1].seq); /* while it waits */
	engine_cancel(e, s[0].seq); /* while it runs */
	engine_stats(e, &st);
	assert_int_equal(st.running, 0);
	assert_int_equal(st.kv_used_tokens, 0);
	engine_advance(e, 15 * NS_PER_MS, see, NULL);
	assert_true(s[2].tokens > 0);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	assert_int_equal(s[2].tokens, 100);
	assert_int_equal(s[1].tokens, 0);
	assert_false(s[0].ended);
	engine_free(e);
}

static void too_long_is_refused(void **state)
{
	struct profile p = plain();
	struct engine *e = engine_create(&p, 1);

	(void)state;
	assert_null(submit(e, 0, 9999, 2, NULL));
	assert_null(submit(e, 0, INT64_MAX, 2, NULL));
	assert_null(submit(e, 0, 0, 2, NULL));
	assert_null(submit(e, 0, 2, 0, NULL));
	assert_non_null(submit(e, 0, 9998, 2, NULL));
	engine_free(e);
}

static void a_prompt_seen_before_is_not_computed_again(void **state)
{
	static const uint64_t ids[] = { 11, 12, 13, 14, 15 }, other[] = { 11, 12, 99 };
	struct profile p = plain();
	struct engine *e;
	struct engine_stats st;
	struct seen s[4] = { 0 };
	struct engine_request r = { .prompt_tokens = 80, .output_tokens = 1, .blocks = ids, .n_blocks = 5 };

	(void)state;
	p.prefix_cache = 1;
	p.request_us = p.request_token_us = 0;
	e = engine_create(&p, 1);
	for (int i = 0; i < 2; i++) {
		r.user = &s[i];
		engine_submit(e, i * NS_PER_S, &r);
	}
	r = (struct engine_request){ .prompt_tokens = 50, .output_tokens = 1, .blocks = other,
				     .n_blocks = 3, .user = &s[2] };
	engine_submit(e, 2 * NS_PER_S, &r);
	engine_advance(e, ENGINE_NEVER, see, NULL);
	/* All 80 tokens; then all but the block with the last one; then all but two blocks. */
	assert_int_equal(s[0].first_ns, (1000 + 80 * 20) * NS_PER_US);
	assert_int_equal(s[1].first_ns - NS_PER_S, (1000 + 16 * 20) * NS_PER_US);
	assert_int_equal(s[2].first_ns - 2 * NS_PER_S, (1000 + 18 * 20) * NS_PER_US);
	engine_stats(e, &st);
	assert_int_equal(st.prompt_tokens, 80 + 80 + 50);
	assert_int_equal(st.prefix_queries, 80 + 80 + 50);
	assert_int_equal(st.prefix_hits, 64 + 32);
	assert_int_equal(st.kv_used_tokens, 0);
	engine_free(e);
}

/* Random load; steps: in how many calls the time is advanced. */
static void random_load(uint64_t seed, int steps, struct seen *s, int n)
{
	struct profile p = plain();
	struct engine *e;
	struct engine_stats st;
	struct rng r;
	uint64_t ids[25]; /* prompts begin alike in different lengths, then differ */
	int64_t prompts = 0, outputs = 0, t = 0, wants[64];

	p.max_model_len = 600;
	p.kv_tokens = 1000;
	p.jitter = 0.2;
	p.prefix_cache = (int64_t)(seed % 2);
	e = engine_create(&p, seed);
	rng_init(&r, seed, "test.load", 0);
	memset(s, 0, (size_t)n * sizeof(*s));
	for (int i = 0; i < n; i++) {
		int64_t prompt = 1 + (int64_t)rng_below(&r, 400);

		wants[i] = 1 + (int64_t)rng_below(&r, 200);
		for (uint64_t k = 0, same = rng_below(&r, 25); k < 25; k++)
			ids[k] = k < same ? k : rng_u64(&r);
		assert_non_null(engine_submit(e, (int64_t)rng_below(&r, 400 * NS_PER_MS),
			&(struct engine_request){ prompt, wants[i], ids, (size_t)prompt / 16, &s[i] }));
		prompts += prompt;
		outputs += wants[i];
	}
	for (int i = 0; i < steps; i++) {
		engine_advance(e, t += 4000 * NS_PER_MS / steps, see, NULL);
		engine_stats(e, &st);
		assert_true(st.running <= p.max_num_seqs);
		assert_true(st.kv_used_tokens <= p.kv_tokens);
	}
	engine_advance(e, ENGINE_NEVER, see, NULL);
	engine_stats(e, &st);
	for (int i = 0; i < n; i++)
		assert_true(s[i].ended && s[i].tokens == wants[i]);
	assert_int_equal(st.prompt_tokens, prompts);
	assert_int_equal(st.generation_tokens, outputs);
	assert_int_equal(st.finished, n);
	assert_int_equal(st.kv_used_tokens, 0);
	engine_free(e);
}

static void any_load_keeps_the_limits_and_every_token(void **state)
{
	struct seen s[64];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		random_load(seed, 1000, s, 64);
}

static void same_seed_same_times_however_it_is_driven(void **state)
{
	struct seen a[64], b[64], c[64];
	int differ = 0;

	(void)state;
	random_load(7, 1000, a, 64);
	random_load(7, 13, b, 64);
	random_load(8, 13, c, 64);
	for (int i = 0; i < 64; i++) {
		assert_int_equal(a[i].first_ns, b[i].first_ns);
		assert_int_equal(a[i].last_ns, b[i].last_ns);
		differ += a[i].last_ns != c[i].last_ns;
	}
	assert_true(differ > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_request_takes_request_cost_prefill_and_steps),
		cmocka_unit_test(a_prompt_costs_its_square_in_any_chunks),
		cmocka_unit_test(a_larger_batch_makes_slower_steps),
		cmocka_unit_test(decodes_go_on_while_a_prompt_is_computed),
		cmocka_unit_test(the_fifth_waits_for_a_slot),
		cmocka_unit_test(a_full_cache_queues_and_preempts),
		cmocka_unit_test(a_client_that_leaves_frees_its_slot),
		cmocka_unit_test(too_long_is_refused),
		cmocka_unit_test(a_prompt_seen_before_is_not_computed_again),
		cmocka_unit_test(any_load_keeps_the_limits_and_every_token),
		cmocka_unit_test(same_seed_same_times_however_it_is_driven),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
