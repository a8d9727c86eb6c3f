/*
 * Metrics of single requests from hand-made events: the right values of cases D01 to D03,
 * D08, D10 and D11, exact, through the same path as tokanalyze takes.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "tests/unit/made.h"

static void d01_roles_and_empty_chunks(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	event(x, 60, EV_ROLE, 0, COUNT_NONE, EVF_CHOICES, "assistant");
	event(x, 100, EV_EMPTY, 0, COUNT_NONE, EVF_CHOICES, NULL);
	token(x, 310);
	token(x, 330);
	token(x, 350);
	finish(x, 351, 3);
	a = analyse();
	near(a.requests[0].ttft_ms, 310);
	near(a.requests[0].e2e_ms, 350);
	near(a.requests[0].tpot_ms, 20);
	gaps_are(&a.requests[0].choices[0], 2, (double[]){ 20, 20 });
	assert_int_equal(a.requests[0].output_tokens, 3);
	assert_false(a.requests[0].estimated);
	analysis_release(&a);
}

static void d01_two_choices(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	event(x, 310, EV_CONTENT, 1, COUNT_NONE, EVF_CHOICES, "No");
	event(x, 318, EV_CONTENT, 0, COUNT_NONE, EVF_CHOICES, "Yes");
	event(x, 338, EV_CONTENT, 0, COUNT_NONE, EVF_CHOICES, ".");
	event(x, 350, EV_CONTENT, 1, COUNT_NONE, EVF_CHOICES, "pe");
	event(x, 370, EV_CONTENT, 1, COUNT_NONE, EVF_CHOICES, ".");
	finish(x, 371, 5);
	a = analyse();
	near(a.requests[0].ttft_ms, 310);
	near(a.requests[0].last_ms, 370);
	assert_int_equal(a.requests[0].output_tokens, 5);
	assert_int_equal(a.requests[0].choices[0].index, 1);
	gaps_are(&a.requests[0].choices[0], 2, (double[]){ 40, 20 });
	gaps_are(&a.requests[0].choices[1], 1, (double[]){ 20 });
	analysis_release(&a);
}

static void d02_reasoning_first(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	for (int i = 0; i < 4; i++)
		event(x, 420 + 20 * i, EV_REASONING, 0, COUNT_NONE, EVF_CHOICES, "r");
	token(x, 500);
	token(x, 520);
	finish(x, 521, 6);
	x = begin(0);
	event(x, 420, EV_REASONING, 0, COUNT_NONE, EVF_CHOICES, "r");
	event(x, 480, EV_REASONING, 0, COUNT_NONE, EVF_CHOICES, "r");
	finish(x, 481, 4);
	a = analyse();
	near(a.requests[0].ttft_ms, 420);
	near(a.requests[0].first_answer_ms, 500);
	near(a.requests[0].tpot_ms, 20);
	near(a.requests[1].first_answer_ms, NAN);
	near(a.requests[1].tpot_ms, 20);
	analysis_release(&a);
}

static void d03_usage(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	/* A: the trailing usage moves nothing. */
	token(x, 100);
	token(x, 120);
	token(x, 140);
	finish(x, 141, 3);
	event(x, 320, EV_USAGE, 0, 3, 0, "{}");
	/* D: cumulative counts, one of them missing. */
	x = begin(0);
	token_cum(x, 100, 1);
	token_cum(x, 120, 3);
	token(x, 140);
	token_cum(x, 160, 5);
	event(x, 161, EV_FINISH, 0, 5, EVF_CHOICES, "stop");
	x->res.usage.completion = 5;
	/* E: cut after the event at 140: three tokens, a lower bound. */
	x = begin(0);
	token_cum(x, 100, 1);
	token_cum(x, 120, 3);
	token(x, 140);
	x->res.usage.completion = 3;
	x->res.status = ST_TRUNCATED;
	x->res.error_kind = str_of("cut");
	/* F: the only usage stands on the finish chunk: no token event. */
	x = begin(0);
	token(x, 100);
	token(x, 120);
	token(x, 140);
	event(x, 190, EV_FINISH, 0, 3, EVF_CHOICES, "stop");
	x->res.usage.completion = 3;
	/* Silent tokens: no text, but the count rose. */
	x = begin(0);
	token_cum(x, 100, 1);
	event(x, 120, EV_EMPTY, 0, 2, EVF_CHOICES, NULL);
	event(x, 140, EV_EMPTY, 0, 2, EVF_CHOICES, NULL);
	event(x, 150, EV_FINISH, 0, 3, EVF_CHOICES, "stop");
	x->res.usage.completion = 3;
	a = analyse();
	near(a.requests[0].e2e_ms, 140);
	near(a.requests[0].tpot_ms, 20);
	near(a.requests[1].tpot_ms, 15);
	assert_int_equal(a.requests[1].output_tokens, 5);
	assert_int_equal(a.requests[2].output_tokens, 3);
	assert_true(a.requests[2].estimated);
	assert_int_equal(a.requests[2].status, ST_TRUNCATED);
	near(a.requests[3].e2e_ms, 140);
	near(a.requests[3].tpot_ms, 20);
	assert_int_equal(a.requests[4].token_events, 3);
	near(a.requests[4].last_ms, 150);
	assert_int_equal(a.groups[0].partial_output_tokens, 3);
	analysis_release(&a);
}

static void d08_tool_calls(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	event(x, 80, EV_ROLE, 0, COUNT_NONE, EVF_CHOICES, "assistant");
	event(x, 250, EV_TOOL, 0, COUNT_NONE, EVF_CHOICES, "{}");
	event(x, 270, EV_TOOL, 0, COUNT_NONE, EVF_CHOICES, "{}");
	/* Two entries in one chunk are one token event. */
	event(x, 290, EV_TOOL, 0, COUNT_NONE, EVF_CHOICES, "{}");
	event(x, 290, EV_TOOL, 0, COUNT_NONE, EVF_CHOICES | EVF_PART, "{}");
	finish(x, 291, 12);
	a = analyse();
	near(a.requests[0].ttft_ms, 250);
	near(a.requests[0].first_answer_ms, NAN);
	near(a.requests[0].tpot_ms, 40.0 / 11);
	assert_int_equal(a.requests[0].token_events, 3);
	gaps_are(&a.requests[0].choices[0], 2, (double[]){ 20, 20 });
	analysis_release(&a);
}

static void d10_several_tokens_in_an_event(void **state)
{
	static const int64_t a_cum[] = { 1, 4, 8, 10, 13 }, c_cum[] = { 4, 7, 10, 13 };
	struct exchange *x = begin(0);
	struct analysis a;

	(void)state;
	for (int i = 0; i < 5; i++)
		token_cum(x, 200 + 30 * i, a_cum[i]);
	finish(x, 321, 13);
	x = begin(0);
	for (int i = 0; i < 5; i++)
		token(x, 200 + 30 * i);
	finish(x, 321, 13);
	x = begin(0);
	for (int i = 0; i < 4; i++)
		token_cum(x, 200 + 30 * i, c_cum[i]);
	finish(x, 321, 13);
	a = analyse();
	near(a.requests[0].tpot_ms, 10);
	gaps_are(&a.requests[0].choices[0], 4, (double[]){ 30, 30, 30, 30 });
	near(a.requests[0].tpot_corrected_ms, NAN);
	near(a.requests[1].tpot_ms, 10);
	near(a.requests[2].tpot_ms, 7.5);
	near(a.requests[2].tpot_corrected_ms, 10);
	assert_int_equal(a.groups[0].bundled, 3);
	analysis_release(&a);
}

static void d11_one_token_no_token_one_event(void **state)
{
	struct exchange *x = begin(0);
	struct analysis a;
	struct group *g;

	(void)state;
	token(x, 80);
	finish(x, 81, 1);
	finish(begin(0), 60, 0);
	x = begin(0);
	for (int i = 0; i < 5; i++)
		token(x, 100 + 20 * i);
	finish(x, 181, 5);
	x = begin(0);
	token(x, 150);
	finish(x, 151, 4);
	a = analyse();
	g = &a.groups[0];
	assert_int_equal(g->by_status[ST_OK], 4);
	near(g->stats[M_TPOT].mean, 20);
	assert_int_equal(g->stats[M_TPOT].n, 1);
	near(g->stats[M_TTFT].mean, 110);
	assert_int_equal(g->stats[M_TTFT].n, 3);
	assert_int_equal(g->output_tokens, 10);
	assert_int_equal(a.requests[1].output_tokens, 0);
	near(a.requests[1].ttft_ms, NAN);
	analysis_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(d01_roles_and_empty_chunks, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d01_two_choices, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d02_reasoning_first, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d03_usage, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d08_tool_calls, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d10_several_tokens_in_an_event, made_reset, made_release),
		cmocka_unit_test_setup_teardown(d11_one_token_no_token_one_event, made_reset, made_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
