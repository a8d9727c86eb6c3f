/* shards: the segments of several processes are one run; everything else is not. */
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
#include "analyze/shards.h"

enum { SEGMENTS = 6, EACH = 4 };

/* Traces made by hand: segments with a shard, and a request each second. */
static struct {
	struct segment seg[SEGMENTS];
	struct kv run[SEGMENTS];
	struct rec_phase phase;
	struct exchange x[SEGMENTS * EACH];
	size_t n;
} made;

static int reset(void **state)
{
	struct record r;

	(void)state;
	memset(&made, 0, sizeof(made));
	record_init(&r, REC_PHASE);
	made.phase = r.u.phase;
	made.phase.id = 0;
	made.phase.kind = PHASE_ROUND;
	made.phase.rate_hz = 2;
	return 0;
}

static void add_segment(const char *shard, const char *plan, int64_t wall_ns)
{
	struct segment *s = &made.seg[made.n];
	struct record r;

	record_init(&r, REC_HEADER);
	s->header = r.u.header;
	s->header.plan_digest = str_of(plan);
	s->header.epoch_wall_ns = wall_ns;
	made.run[made.n] = (struct kv){ str_of("shard"), str_of(shard) };
	s->header.run = (struct kvs){ &made.run[made.n], shard ? 1 : 0 };
	health_init(&s->client);
	s->phases = &made.phase;
	s->n_phases = 1;
	made.n++;
}

/* Request k of segment s: sent at from_ms + 1000 k, one token 100 ms later. */
static void add_requests(size_t s, int64_t from_ms)
{
	for (int64_t k = 0; k < EACH; k++) {
		struct exchange *x = &made.x[s * EACH + (size_t)k];
		struct record r;
		struct event ev = { .cls = EV_CONTENT, .cum_tokens = COUNT_NONE, .text = str_of("a"),
				    .text_len = 1 };

		record_init(&r, REC_REQUEST);
		x->req = r.u.request;
		x->segment = (int64_t)s;
		x->req.id = k;
		x->req.phase = 0;
		x->req.scheduled_ns = x->req.sent_ns = (from_ms + 1000 * k) * NS_PER_MS;
		record_init(&r, REC_RESPONSE);
		x->res = r.u.response;
		x->has_response = true;
		x->res.last = true;
		x->res.status = ST_OK;
		events_init(&x->res.events, true, 100);
		ev.t_ns = x->req.sent_ns + 100 * NS_PER_MS;
		x->res.end_ns = ev.t_ns;
		assert_int_equal(events_add(&x->res.events, &ev), 0);
	}
}

static void runs_are(const size_t *want, size_t missing)
{
	struct trace_data t = { .segments = made.seg, .n_segments = made.n };
	struct shard_place *p = shards_place(&t, 1);

	for (size_t i = 0; i < made.n; i++)
		assert_int_equal(p[i].run, want[i]);
	assert_int_equal(shards_missing(p, made.n), missing);
	free(p);
}

static void parts_of_one_plan_are_one_run(void **state)
{
	static const size_t want[] = { 0, 1, 0, 2, 2, 1 };

	(void)state;
	/* Twice the same plan in two parts, and half of another one. */
	add_segment("0/2", "p", 100);
	add_segment("0/2", "p", 200);
	add_segment("1/2", "p", 103);
	add_segment("1/3", "q", 5);
	add_segment("0/3", "q", 4);
	add_segment("1/2", "p", 202);
	runs_are(want, 1);
}

static void others_are_runs_of_their_own(void **state)
{
	static const size_t want[] = { 0, 1, 2, 3, 4, 5 };

	(void)state;
	add_segment(NULL, "p", 100);
	add_segment(NULL, "p", 100);
	add_segment("0/1", "p", 100);
	add_segment("x/2", "p", 100);
	add_segment("0/2", NULL, 100);
	add_segment("1/2", "p", NS_NONE);
	runs_are(want, 2);
}

/*
 * Two parts that alternate each half second, on clocks that began 250 ms apart: eight
 * requests within 3.6 s, at 2 per s, never two at once.
 */
static void the_whole_has_one_window(void **state)
{
	struct trace_data t = { .segments = made.seg, .n_segments = 2, .x = made.x, .n = 2 * EACH };
	struct analysis_opts o = { .goodput = { NAN, NAN, NAN, false } };
	struct analysis a;
	struct err e;

	(void)state;
	add_segment("0/2", "p", 1000 * NS_PER_S);
	add_segment("1/2", "p", 1000 * NS_PER_S + 250 * NS_PER_MS);
	add_requests(0, 10);
	add_requests(1, 260);
	assert_int_equal(analysis_of(&t, 1, &o, &a, &e), 0);
	assert_int_equal(a.n_groups, 1);
	assert_int_equal(a.groups[0].rounds, 1);
	assert_int_equal(a.groups[0].by_status[ST_OK], 8);
	assert_true(fabs(a.groups[0].window_s - 3.6) < 1e-9);
	assert_true(fabs(a.groups[0].offered_hz - 2) < 1e-9);
	assert_true(fabs(a.groups[0].sent_hz - 2) < 1e-9);
	assert_int_equal(a.groups[0].peak_concurrency, 1);
	assert_true(fabs(a.groups[0].mean_concurrency - 0.8 / 3.6) < 1e-9);
	/* In order of sending: they alternate. */
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(a.requests[i].x->segment, i % 2);
	assert_int_equal(a.missing_shards, 0);
	analysis_release(&a);
	for (size_t i = 0; i < 2 * EACH; i++)
		events_release(&made.x[i].res.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(parts_of_one_plan_are_one_run, reset),
		cmocka_unit_test_setup(others_are_runs_of_their_own, reset),
		cmocka_unit_test_setup(the_whole_has_one_window, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
