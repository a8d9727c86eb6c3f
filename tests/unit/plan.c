/* plan: order, phases, passes, sessions, intended times, digest. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "replay/plan.h"

enum { N = 5 };

/* Five requests without bodies; arrivals out of order, 3 follows 1. */
static void set_up_source(struct source *s)
{
	static const int64_t arrival_ms[N] = { 0, 200, 100, 300, 100 };
	struct segment *seg = calloc(1, sizeof(*seg));
	struct exchange *x = calloc(N, sizeof(*x));
	struct record r;
	struct err e;

	*s = (struct source){ .n = 0 };
	record_init(&r, REC_HEADER);
	seg->header = r.u.header;
	for (int i = 0; i < N; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = i;
		r.u.request.scheduled_ns = arrival_ms[i] * NS_PER_MS;
		r.u.request.input_tokens = 20 + i;
		r.u.request.output_tokens = 4;
		r.u.request.parent = i == 3 ? 1 : COUNT_NONE;
		x[i].req = r.u.request;
	}
	s->d.segments = seg;
	s->d.n_segments = 1;
	s->d.x = x;
	s->d.n = N;
	assert_int_equal(source_fill(s, &e), 0);
}

static void tear_down_source(struct source *s)
{
	free(s->items);
	free(s->d.x);
	free(s->d.segments);
}

static struct load loads[4];

static struct plan_opts closed(const int64_t *levels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		loads[i] = load_closed(levels[i]);
	return (struct plan_opts){ .loads = loads, .n_levels = n,
				   .recorded = { 1, NS_NONE, NS_NONE, NS_NONE },
				   .shard = { 0, 1 }, .req = { .max_tokens = COUNT_NONE } };
}

static void the_closed_loop_keeps_the_order(void **state)
{
	static const int64_t levels[] = { 1, 8 };
	struct plan_opts o = closed(levels, 2);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n_phases, 2);
	assert_int_equal(p.n, 2 * N);
	assert_int_equal(p.phases[1].first, N);
	assert_int_equal(p.phases[1].load.concurrency, 8);
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(p.e[i].item, i % N);
		assert_int_equal(p.e[i].phase, i / N);
		assert_true(p.e[i].intended_ns == NS_NONE);
	}
	/* The turn waits for its parent of the same level. */
	assert_int_equal(p.e[3].parent, 1);
	assert_int_equal(p.e[8].parent, 6);
	assert_true(p.e[8].waits);
	assert_false(p.e[2].waits);
	plan_release(&p);
	tear_down_source(&s);
}

static void recorded_timing_goes_by_arrival(void **state)
{
	static const int64_t no_cap = COUNT_NONE;
	static const size_t order[N] = { 0, 2, 4, 1, 3 };
	static const int64_t at_ms[N] = { 0, 50, 50, 100, 150 };
	struct plan_opts o = closed(&no_cap, 1);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	loads[0].timing = TIMING_RECORDED;
	o.recorded.speed = 2;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(p.e[i].item, order[i]);
		assert_true(p.e[i].intended_ns == at_ms[i] * NS_PER_MS);
		assert_int_equal(p.e[i].waits, i == 4);
	}
	/* Five requests in 150 ms: four gaps. */
	assert_true(p.phases[0].rate_hz > 26.66 && p.phases[0].rate_hz < 26.67);
	plan_release(&p);

	s.items[2].arrival_ns = NS_NONE;
	assert_int_equal(plan_build(&s, &o, &p, &e), -1);
	tear_down_source(&s);
}

static void passes_and_warmups_have_other_words(void **state)
{
	static const int64_t levels[] = { 2 }, counts[] = { 7 };
	struct plan_opts o = closed(levels, 1);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	o.counts = counts;
	o.n_counts = 1;
	o.warmups = 2;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n_phases, 2);
	assert_int_equal(p.phases[0].kind, PHASE_WARMUP);
	assert_int_equal(p.phases[0].n, 2);
	assert_int_equal(p.phases[1].first, 2);
	assert_int_equal(p.n, 9);
	assert_int_equal(p.wrapped, 2);
	assert_int_equal(p.e[7].item, 0);
	assert_int_equal(p.e[7].pass, 1);
	for (size_t i = 0; i < p.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(p.e[i].digest, p.e[k].digest);
	/* A second pass has the same lengths. */
	assert_int_equal(p.e[7].facts.max_tokens, p.e[2].facts.max_tokens);
	plan_release(&p);
	tear_down_source(&s);
}

static void fewer_are_the_first_in_order(void **state)
{
	static const int64_t levels[] = { 1, 1 }, counts[] = { 2, 3 };
	struct plan_opts o = closed(levels, 2);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	o.counts = counts;
	o.n_counts = 2;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n, 5);
	assert_int_equal(p.e[1].item, 1);
	assert_int_equal(p.e[2].item, 0);
	assert_int_equal(p.e[4].item, 2);
	plan_release(&p);
	tear_down_source(&s);
}

/* The digest is the SHA-256 of the lines, each body's that of the bytes sent. */
static void digests_are_of_what_is_printed_and_sent(void **state)
{
	static const int64_t levels[] = { 1, 4 };
	struct plan_opts o = closed(levels, 2);
	char hex[DIGEST_HEX + 1];
	struct buf text, tmp;
	struct source s;
	struct plan p;
	struct str body;
	struct err e;

	(void)state;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	buf_init(&text, 1 << 20);
	buf_init(&tmp, 1 << 20);
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(plan_line(&p, i, &text), 0);
		/* As if it had not been kept: built again, it is the same. */
		buf_release(&p.e[i].body);
		assert_int_equal(plan_body(&p, i, &tmp, &body, &e), 0);
		digest_bytes(body.p, body.n, hex);
		assert_string_equal(hex, p.e[i].digest);
	}
	digest_bytes(text.p, text.n, hex);
	assert_string_equal(hex, p.digest);
	buf_release(&text);
	buf_release(&tmp);
	plan_release(&p);
	tear_down_source(&s);
}

static void same_in_same_digest_else_another(void **state)
{
	static const int64_t levels[] = { 1 };
	struct plan_opts o = closed(levels, 1);
	char first[DIGEST_HEX + 1];
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	strcpy(first, p.digest);
	plan_release(&p);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_string_equal(p.digest, first);
	plan_release(&p);
	o.req.seed = 1;
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_string_not_equal(p.digest, first);
	plan_release(&p);
	o.req.seed = 0;
	loads[0] = load_closed(2);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_string_not_equal(p.digest, first);
	plan_release(&p);
	tear_down_source(&s);
}

/* Every shard makes the same plan, and each request is in exactly one of them. */
static void assert_shards_are_the_whole(struct plan_opts *o, const struct source *s)
{
	static const int64_t many[] = { 1, 2, 3, 8 };
	char whole[DIGEST_HEX + 1] = "";
	struct err e;

	for (size_t k = 0; k < 4; k++) {
		static int sent_by[4000];
		struct plan p;

		memset(sent_by, 0, sizeof(sent_by));
		for (int64_t i = 0; i < many[k]; i++) {
			o->shard = (struct shard){ i, many[k] };
			assert_int_equal(plan_build(s, o, &p, &e), 0);
			if (!*whole)
				strcpy(whole, p.digest);
			assert_string_equal(p.digest, whole);
			for (size_t j = 0; j < p.n; j++) {
				sent_by[j] += !p.e[j].elsewhere;
				assert_int_equal(p.e[j].elsewhere, p.e[p.e[j].root].elsewhere);
			}
			if (i < many[k] - 1)
				plan_release(&p);
		}
		for (size_t j = 0; j < p.n; j++)
			assert_int_equal(sent_by[j], 1);
		plan_release(&p);
	}
	o->shard = (struct shard){ 0, 1 };
}

static void shards_are_the_whole(void **state)
{
	static const int64_t levels[] = { 3 }, counts[] = { 1000 };
	struct plan_opts o = closed(levels, 1);
	struct source s;

	(void)state;
	o.counts = counts;
	o.n_counts = 1;
	o.warmups = 5;
	set_up_source(&s);
	assert_shards_are_the_whole(&o, &s);
	o.lanes = true;
	assert_shards_are_the_whole(&o, &s);
	o.lanes = false;
	loads[0].timing = TIMING_POISSON;
	loads[0].rate = ramp_flat(10);
	assert_shards_are_the_whole(&o, &s);
	tear_down_source(&s);
}

/* Requests of a window of arrivals; a turn whose parent is not in it starts by itself. */
static void a_window_is_a_part(void **state)
{
	static const int64_t levels[] = { 1 };
	struct plan_opts o = closed(levels, 1);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	o.recorded.from_ns = 250 * NS_PER_MS;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.e[0].item, 3);
	assert_int_equal(p.e[0].parent, -1);
	plan_release(&p);
	tear_down_source(&s);
}

/* At a rate with a duration: what is due within it, from the trace as often as needed. */
static void a_duration_says_how_many(void **state)
{
	static const int64_t no_cap = COUNT_NONE;
	struct plan_opts o = closed(&no_cap, 1);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	loads[0].timing = TIMING_CONSTANT;
	loads[0].rate = ramp_flat(10);
	loads[0].duration_ns = 1200 * NS_PER_MS;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n, 12);
	assert_true(p.e[11].intended_ns == 1100 * NS_PER_MS);
	assert_int_equal(p.e[11].pass, 2);
	assert_true(p.phases[0].rate_hz == 10);
	plan_release(&p);

	/* Of a recording: not gone through again unasked. */
	loads[0].timing = TIMING_RECORDED;
	loads[0].duration_ns = 201 * NS_PER_MS;
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n, 4);
	plan_release(&p);
	tear_down_source(&s);
}

/* Stages go on in the trace where the one before stopped; a session goes through them. */
static void stages_go_on_in_the_trace(void **state)
{
	static const int64_t no_caps[] = { COUNT_NONE, COUNT_NONE };
	struct plan_opts o = closed(no_caps, 2);
	struct source s;
	struct plan p;
	struct err e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		loads[i].timing = TIMING_CONSTANT;
		loads[i].rate = ramp_flat(10);
		loads[i].duration_ns = 300 * NS_PER_MS;
		loads[i].follows = i > 0;
	}
	o.think_ns = 7;
	set_up_source(&s);
	assert_int_equal(plan_build(&s, &o, &p, &e), 0);
	assert_int_equal(p.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p.e[i].item, i % N);
	assert_true(p.e[3].intended_ns == 0);
	assert_int_equal(p.e[3].parent, 1);
	assert_true(p.e[3].think_ns == 7);
	plan_release(&p);
	tear_down_source(&s);
}

static void what_cannot_be_sent_is_left_out(void **state)
{
	struct source s;
	struct err e;

	(void)state;
	set_up_source(&s);
	free(s.items);
	s.n = 0;
	s.d.x[0].req.endpoint = str_of("/v1/embeddings");
	s.d.x[1].req.method = str_of("GET");
	assert_int_equal(source_fill(&s, &e), 0);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.foreign, 2);
	assert_int_equal(s.items[1].id, 3);
	assert_int_equal(s.items[1].parent, -1); /* its parent is not sent */

	/* Neither text nor length: refused, not guessed. */
	free(s.items);
	s.n = 0;
	s.d.x[2].req.input_tokens = COUNT_NONE;
	assert_int_equal(source_fill(&s, &e), -1);
	assert_non_null(strstr(e.msg, "request 2"));
	tear_down_source(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_closed_loop_keeps_the_order),
		cmocka_unit_test(recorded_timing_goes_by_arrival),
		cmocka_unit_test(passes_and_warmups_have_other_words),
		cmocka_unit_test(fewer_are_the_first_in_order),
		cmocka_unit_test(digests_are_of_what_is_printed_and_sent),
		cmocka_unit_test(same_in_same_digest_else_another),
		cmocka_unit_test(shards_are_the_whole),
		cmocka_unit_test(a_window_is_a_part),
		cmocka_unit_test(a_duration_says_how_many),
		cmocka_unit_test(stages_go_on_in_the_trace),
		cmocka_unit_test(what_cannot_be_sent_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
