/*
 * Metrics of groups from hand-made events: cases D12, D14 and D15, exact; layers; and the
 * confidence intervals of percentiles.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "tests/unit/made.h"

static void d12_failures(void **state)
{
	struct analysis a;
	struct group *g;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct exchange *x = begin(0);

		for (int k = 0; k <= 10; k++)
			token(x, 50 + 10 * i + 20 * k);
		finish(x, 251 + 10 * i, 11);
	}
	failed(ST_ERROR, "http_503");
	failed(ST_ERROR, "http_503");
	failed(ST_ERROR, "connect");
	failed(ST_ERROR, "in_band");
	a = analyse();
	g = &a.groups[0];
	assert_int_equal(g->total, 10);
	assert_int_equal(g->by_status[ST_OK], 6);
	assert_int_equal(g->by_status[ST_ERROR], 4);
	assert_int_equal(g->n_errors, 3);
	assert_string_equal(g->errors[0].kind, "http_503");
	assert_int_equal(g->errors[0].n, 2);
	near(g->stats[M_TTFT].pct[PCT_50], 75);
	near(g->stats[M_TTFT].mean, 75);
	near(g->stats[M_TPOT].mean, 20);
	assert_int_equal(g->output_tokens, 66);
	near(g->window_s, 0.3);
	near(g->output_throughput_tok_s, 220);
	near(g->request_throughput_hz, 20);
	analysis_release(&a);
}

static void d14_waiting_for_a_slot(void **state)
{
	struct analysis a;
	struct group *g;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct exchange *x = begin(300 * i);

		x->req.scheduled_ns = 100 * i * MS;
		token(x, 300 * i + 200);
		token(x, 300 * i + 300);
		finish(x, 300 * i + 301, 2);
	}
	a = analyse();
	g = &a.groups[0];
	near(g->stats[M_QUEUE].mean, 500);
	near(g->stats[M_TTFT].mean, 200);
	near(g->stats[M_E2E].mean, 300);
	near(g->stats[M_SCHEDULED_TTFT].mean, 700);
	near(g->stats[M_SCHEDULED_E2E].mean, 800);
	near(g->stats[M_SCHEDULED_E2E].pct[PCT_99], 1290);
	near(g->request_throughput_hz, 6 / 1.8);
	near(g->offered_hz, 10);
	near(g->sent_hz, 5 / 1.5);
	analysis_release(&a);
}

static void d15_warm_up_and_a_straggler(void **state)
{
	struct analysis a;
	struct group *g;
	struct exchange *x;

	(void)state;
	x = begin(-2000);
	x->req.phase = 0;
	for (int k = 0; k < 50; k++)
		token(x, -1900 + 10 * k);
	finish(x, -1000, 50);
	for (int i = 0; i < 4; i++) {
		int n = i < 3 ? 100 : 400;

		x = begin(0);
		for (int k = 0; k < n; k++)
			token(x, 100 + 10 * k);
		finish(x, 101 + 10 * n, n);
	}
	a = analyse();
	assert_int_equal(a.n_groups, 1);
	assert_int_equal(a.warmups, 1);
	g = &a.groups[0];
	assert_int_equal(g->output_tokens, 700);
	near(g->window_s, 4.09);
	near(g->output_throughput_tok_s, 700 / 4.09);
	assert_int_equal(g->peak_concurrency, 4);
	near(g->mean_concurrency, (1.09 * 3 + 4.09) / 4.09);
	near(g->stats[M_TTFT].min, 100);
	near(g->stats[M_TTFT].max, 100);
	near(g->stats[M_TPOT].mean, 10);
	analysis_release(&a);
}

static void layers_have_their_edges(void **state)
{
	struct layer_opts o = { .edges = { 1024, 8192 }, .n = 2 };
	double lengths[400];

	(void)state;
	assert_string_equal(layer_of(&o, 0).label, "[0,1024]");
	assert_string_equal(layer_of(&o, 1024).label, "[0,1024]");
	assert_string_equal(layer_of(&o, 1025).label, "(1024,8192]");
	assert_string_equal(layer_of(&o, 8193).label, "(8192,inf)");
	assert_string_equal(layer_of(&o, COUNT_NONE).label, "unknown");
	for (int i = 0; i < 400; i++)
		lengths[i] = 500;
	layers_choose(lengths, 400, &o);
	assert_int_equal(o.n, 0);
	assert_string_equal(layer_of(&o, 500).label, "all");
	for (int i = 200; i < 400; i++)
		lengths[i] = 5000;
	layers_choose(lengths, 400, &o);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.edges[0], 1024);
}

/* The interval's coverage: of draws from a known distribution, 99 % of the intervals hold the quantile. */
static void intervals_cover(void **state)
{
	uint64_t x = 88172645463325252u;
	int held = 0;

	(void)state;
	for (int draw = 0; draw < 2000; draw++) {
		struct sample s = { .n = 0 };

		for (int i = 0; i < 200; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			assert_int_equal(sample_add(&s, (double)(x >> 11) * 0x1p-53), 0);
		}
		sample_summarise(&s);
		held += s.ci_low[PCT_95] <= 0.95 && s.ci_high[PCT_95] >= 0.95;
		sample_release(&s);
	}
	assert_true(held >= 1970);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(d12_failures, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d14_waiting_for_a_slot, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d15_warm_up_and_a_straggler, made_reset, made_release),
		cmocka_unit_test(layers_have_their_edges),
		cmocka_unit_test(intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
