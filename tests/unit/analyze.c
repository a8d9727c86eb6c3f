/*
 * Metrics from hand-made events: the right values of cases D01 to D03, D08, D10, D11, D12,
 * D14 and D15, exact, through the same path as tokanalyze takes.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

enum { MAX = 2100 };
#define MS NS_PER_MS

/* One exchange under construction; sent at 0 unless said. */
struct made {
	struct exchange x[MAX];
	struct segment segment;
	struct rec_phase phases[2];
	struct trace_data d;
};
static struct made m;

static struct exchange *begin(int64_t sent_ms)
{
	struct exchange *x = &m.x[m.d.n];
	struct record r;

	record_init(&r, REC_REQUEST);
	x->req = r.u.request;
	record_init(&r, REC_RESPONSE);
	x->res = r.u.response;
	x->segment = 0;
	x->has_response = true;
	x->req.id = (int64_t)m.d.n++;
	x->req.phase = 1;
	x->req.sent_ns = sent_ms * MS;
	x->req.input_tokens = 10;
	events_init(&x->res.events, true, 1 << 20);
	x->res.last = true;
	x->res.status = ST_OK;
	return x;
}

static void event(struct exchange *x, int64_t at_ms, enum event_class cls, int32_t choice, int64_t cum,
		  unsigned flags, const char *text)
{
	struct event e = { at_ms * MS, cls, flags, choice, cum, str_of(text), text ? strlen(text) : 0 };

	assert_int_equal(events_add(&x->res.events, &e), 0);
}

static void token(struct exchange *x, int64_t at_ms)
{
	event(x, at_ms, EV_CONTENT, 0, COUNT_NONE, EVF_CHOICES, "t");
}

static void token_cum(struct exchange *x, int64_t at_ms, int64_t cum)
{
	event(x, at_ms, EV_CONTENT, 0, cum, EVF_CHOICES, "t");
}

static void finish(struct exchange *x, int64_t at_ms, int64_t n)
{
	event(x, at_ms, EV_FINISH, 0, COUNT_NONE, EVF_CHOICES, "stop");
	x->res.usage.completion = n;
	x->res.end_ns = at_ms * MS;
}

static int reset(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	m.phases[0] = (struct rec_phase){ .id = 0, .kind = PHASE_WARMUP, .concurrency = 4, .rate_hz = NAN };
	m.phases[1] = (struct rec_phase){ .id = 1, .kind = PHASE_ROUND, .concurrency = 4, .rate_hz = NAN };
	m.segment.phases = m.phases;
	m.segment.n_phases = 2;
	m.segment.client.loop_lag_max_ns = NS_NONE;
	m.d = (struct trace_data){ .segments = &m.segment, .n_segments = 1, .x = m.x };
	return 0;
}

static int release(void **state)
{
	(void)state;
	for (size_t i = 0; i < m.d.n; i++)
		events_release(&m.x[i].res.events);
	return 0;
}

static struct analysis analyse(void)
{
	struct analysis_opts o = { .goodput = { NAN, NAN, NAN, false } };
	struct analysis a;
	struct err e = { "" };

	if (analysis_of(&m.d, 1, &o, &a, &e) < 0)
		fail_msg("%s", e.msg);
	return a;
}

static void near(double got, double want)
{
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) < 1e-9 * (1 + fabs(want))))
		fail_msg("got %.12g, want %.12g", got, want);
}

static void gaps_are(const struct choice *c, size_t n, const double *want)
{
	assert_int_equal(c->n_gaps, n);
	for (size_t i = 0; i < n; i++)
		near(c->gaps_ms[i], want[i]);
}

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

static void failed(enum status s, const char *kind)
{
	struct exchange *x = begin(0);

	x->res.status = s;
	x->res.error_kind = str_of(kind);
	x->res.end_ns = 5 * MS;
}

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
		cmocka_unit_test_setup_teardown(d01_roles_and_empty_chunks, reset, release),
		cmocka_unit_test_setup_teardown(d01_two_choices, reset, release),
		cmocka_unit_test_setup_teardown(d02_reasoning_first, reset, release),
		cmocka_unit_test_setup_teardown(d03_usage, reset, release),
		cmocka_unit_test_setup_teardown(d08_tool_calls, reset, release),
		cmocka_unit_test_setup_teardown(d10_several_tokens_in_an_event, reset, release),
		cmocka_unit_test_setup_teardown(d11_one_token_no_token_one_event, reset, release),
		cmocka_unit_test_setup_teardown(d12_failures, reset, release),
		cmocka_unit_test_setup_teardown(d14_waiting_for_a_slot, reset, release),
		cmocka_unit_test_setup_teardown(d15_warm_up_and_a_straggler, reset, release),
		cmocka_unit_test(layers_have_their_edges),
		cmocka_unit_test(intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
