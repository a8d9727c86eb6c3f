/* verify: answers taken apart, compared, and paired. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/verify.h"

enum { MAX = 16 };

/* A trace made by hand: three phases, of which the first is a warm-up. */
struct made {
	struct exchange x[MAX];
	struct segment segment;
	struct rec_phase phases[3];
	struct trace_data d;
};

static void make(struct made *m)
{
	static const int64_t levels[] = { 1, 1, 8 };

	*m = (struct made){ .d = { .n_segments = 1 } };
	for (int i = 0; i < 3; i++)
		m->phases[i] = (struct rec_phase){ .id = i, .kind = i ? PHASE_ROUND : PHASE_WARMUP,
						   .concurrency = levels[i], .rate_hz = NAN };
	m->segment.phases = m->phases;
	m->segment.n_phases = 3;
	m->d.segments = &m->segment;
	m->d.x = m->x;
}

static void unmake(struct made *m)
{
	for (size_t i = 0; i < m->d.n; i++)
		events_release(&m->x[i].res.events);
}

/* An ok exchange without events; body: what stands for its digest. */
static struct exchange *ask(struct made *m, int64_t phase, const char *body)
{
	struct exchange *x = &m->x[m->d.n];
	struct record r;

	record_init(&r, REC_REQUEST);
	x->req = r.u.request;
	record_init(&r, REC_RESPONSE);
	x->res = r.u.response;
	x->req.id = (int64_t)m->d.n++;
	x->req.phase = phase;
	x->req.body_digest = str_of(body);
	x->has_response = x->res.last = true;
	x->res.status = ST_OK;
	events_init(&x->res.events, true, 1 << 20);
	return x;
}

static void add(struct exchange *x, enum event_class cls, int32_t choice, unsigned flags,
		int64_t cum, const char *text)
{
	struct event e = { 0, cls, flags | EVF_CHOICES, choice, cum, str_of(text),
			   text ? strlen(text) : 0 };

	assert_int_equal(events_add(&x->res.events, &e), 0);
}

static void say(struct exchange *x, const char *text)
{
	add(x, EV_CONTENT, 0, 0, COUNT_NONE, text);
}

static void finish(struct exchange *x, const char *why, int64_t tokens)
{
	add(x, EV_FINISH, 0, 0, COUNT_NONE, why);
	x->res.usage.completion = tokens;
}

static struct likeness compare(const struct exchange *x, const struct exchange *y,
			       struct arena *store)
{
	struct answer a, b;
	struct likeness l;

	assert_int_equal(answer_of(&x->res, &a), 0);
	assert_int_equal(answer_of(&y->res, &b), 0);
	answers_compare(&a, &b, store, &l);
	answer_release(&a);
	answer_release(&b);
	return l;
}

static void is(struct str s, const char *want)
{
	if (!str_is(s, want))
		fail_msg("got '%.*s', want '%s'", (int)s.n, s.p, want);
}

static void the_cuts_between_events_are_no_difference(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	say(x, "Red");
	say(x, " fox");
	finish(x, "stop", 2);
	say(y, "Red fox");
	finish(y, "stop", 2);
	l = compare(x, y, &store);
	assert_true(l.identical);
	assert_false(l.same_events);
	assert_true(compare(x, x, &store).same_events);
	unmake(&m);
	arena_release(&store);
}

static void one_token_an_event(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	say(x, "Gr\xc3\xbc");
	say(x, "n");
	say(x, " frog");
	finish(x, "stop", 3);
	say(y, "Gr\xc3\xbc");
	say(y, "n");
	say(y, " fr\xc3\xb6sche");
	finish(y, "stop", 3);
	l = compare(x, y, &store);
	assert_false(l.identical);
	assert_int_equal(l.first.channel.kind, CH_CONTENT);
	/* "Grün fr" agrees: 7 characters, 8 bytes. */
	assert_int_equal(l.first.chars, 7);
	is(l.first.before, "Gr\xc3\xbcn fr");
	is(l.first.a.text, "og");
	is(l.first.b.text, "\xc3\xb6sche");
	assert_int_equal(l.first.a.event, 2);
	assert_int_equal(l.first.a.token, 2);
	assert_int_equal(l.first.b.tokens, 1);
	unmake(&m);
	arena_release(&store);
}

/* Characters whose first bytes agree are different characters. */
static void half_a_character_is_no_agreement(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	say(x, "\xe4\xbd\xa0\xe5\xa5\xbd");
	say(y, "\xe4\xbd\xa0\xe5\xa5\xb9");
	l = compare(x, y, &store);
	assert_int_equal(l.first.chars, 1);
	is(l.first.a.text, "\xe5\xa5\xbd");
	is(l.first.before, "\xe4\xbd\xa0");
	unmake(&m);
	arena_release(&store);
}

static void tokens_by_cumulative_usage(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	add(x, EV_CONTENT, 0, 0, 4, "one two");
	add(x, EV_CONTENT, 0, 0, 9, " three four");
	add(y, EV_CONTENT, 0, 0, 5, "one two thr");
	add(y, EV_CONTENT, 0, 0, 8, "ash");
	l = compare(x, y, &store);
	assert_int_equal(l.first.chars, 11);
	assert_int_equal(l.first.a.event, 1);
	assert_int_equal(l.first.a.token, 4);
	assert_int_equal(l.first.a.tokens, 5);
	assert_int_equal(l.first.b.token, 5);
	assert_int_equal(l.first.b.tokens, 3);
	unmake(&m);
	arena_release(&store);
}

/* No usage, or the usage of two choices together: events are counted, tokens unknown. */
static void tokens_unknown(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	say(x, "a");
	add(x, EV_CONTENT, 1, 0, COUNT_NONE, "b");
	finish(x, "stop", 2);
	say(y, "a");
	add(y, EV_CONTENT, 1, 0, COUNT_NONE, "c");
	l = compare(x, y, &store);
	assert_int_equal(l.first.channel.choice, 1);
	assert_int_equal(l.first.a.event, 1);
	assert_int_equal(l.first.a.token, COUNT_NONE);
	assert_int_equal(l.first.b.token, COUNT_NONE);
	unmake(&m);
	arena_release(&store);
}

static void the_shorter_one_ended(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y, *z;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	z = ask(&m, 2, "a");
	say(x, "Red");
	finish(x, "stop", 1);
	say(y, "Red");
	say(y, " fox");
	finish(y, "length", 2);
	say(z, "Red");
	finish(z, "length", 1);
	l = compare(x, y, &store);
	assert_true(l.first.a.ended);
	assert_int_equal(l.first.a.event, 1);
	assert_false(l.first.b.ended);
	is(l.first.b.text, " fox");
	assert_int_equal(l.first.b.token, 1);
	/* One text, other reasons: the one would have gone on. */
	l = compare(x, z, &store);
	assert_false(l.identical);
	assert_int_equal(l.first.channel.kind, CH_FINISH);
	is(l.first.a.text, "stop");
	is(l.first.b.text, "length");
	unmake(&m);
	arena_release(&store);
}

/* The earliest place counts, whatever its channel; ids of calls are new each time. */
static void channels_and_tool_calls(void **state)
{
	struct arena store = { NULL, 0 };
	struct made m;
	struct exchange *x, *y, *z;
	struct likeness l;

	(void)state;
	make(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	z = ask(&m, 2, "a");
	add(x, EV_REASONING, 0, 0, COUNT_NONE, "Let me");
	add(x, EV_TOOL, 0, 0, COUNT_NONE,
	    "{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"add\",\"arguments\":\"\"}}");
	add(x, EV_TOOL, 0, 0, COUNT_NONE, "{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":1\"}}");
	add(x, EV_TOOL, 0, 0, COUNT_NONE, "{\"index\":0,\"function\":{\"arguments\":\"}\"}}");
	/* A whole answer numbers no call and gives the arguments at once. */
	add(y, EV_REASONING, 0, 0, COUNT_NONE, "Let me");
	add(y, EV_TOOL, 0, EVF_PART, COUNT_NONE,
	    "{\"id\":\"c9\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}}");
	assert_true(compare(x, y, &store).identical);
	add(z, EV_REASONING, 0, 0, COUNT_NONE, "Let me");
	add(z, EV_TOOL, 0, 0, COUNT_NONE,
	    "{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":2}\"}}");
	add(z, EV_CONTENT, 0, 0, COUNT_NONE, "more");
	l = compare(x, z, &store);
	assert_int_equal(l.first.channel.kind, CH_TOOL_ARGUMENTS);
	assert_int_equal(l.first.chars, 5);
	is(l.first.a.text, "1}");
	is(l.first.b.text, "2}");
	assert_int_equal(l.first.a.event, 2);
	assert_int_equal(l.first.b.event, 1);
	unmake(&m);
	arena_release(&store);
}

static void answered(struct made *m, int64_t phase, const char *body, const char *text)
{
	struct exchange *x = ask(m, phase, body);

	say(x, text);
	finish(x, "stop", 1);
}

static void verify(const struct made *run, const struct made *ref, enum verify_against against,
		   struct verify *v)
{
	struct err e = { "" };

	if (verify_run(&run->d, &ref->d, against, v, &e) < 0)
		fail_msg("%s", e.msg);
}

static void levels_of_one_run(void **state)
{
	static struct made m;
	struct verify v;

	(void)state;
	make(&m);
	answered(&m, 0, "aa", "warm"); /* not measured */
	answered(&m, 2, "aa", "x");
	answered(&m, 2, "bb", "other");
	answered(&m, 2, "cc", "alone");
	answered(&m, 1, "aa", "x");
	answered(&m, 1, "bb", "y");
	answered(&m, 1, "aa", "z");
	verify(&m, &m, VERIFY_LEVELS, &v);
	/* aa: 4 is held against by 1 (C=8) and 6 (C=1); bb: 5 by 2; cc has only itself. */
	assert_int_equal(v.n_groups, 2);
	assert_int_equal(v.groups[0].concurrency, 1);
	assert_int_equal(v.groups[0].pairs, 1);
	assert_int_equal(v.groups[0].identical, 0);
	assert_int_equal(v.groups[1].concurrency, 8);
	assert_int_equal(v.groups[1].reference_concurrency, 1);
	assert_int_equal(v.groups[1].pairs, 2);
	assert_int_equal(v.groups[1].identical, 1);
	assert_int_equal(v.n_differ, 2);
	assert_int_equal(v.differ[0].x->req.id, 2);
	assert_int_equal(v.differ[0].reference->req.id, 5);
	assert_int_equal(v.unpaired, 0);
	assert_int_equal(v.all.pairs, 3);
	verify_release(&v);
	unmake(&m);
}

static void what_failed_or_has_no_text_is_not_compared(void **state)
{
	static struct made run, source;
	struct verify v;

	(void)state;
	make(&run);
	make(&source);
	for (int i = 0; i < 4; i++) {
		answered(&source, 1, "aa", "x");
		answered(&run, 2, i == 3 ? "bb" : "aa", "x");
		run.x[i].req.source_id = i;
	}
	source.x[0].res.status = ST_TRUNCATED;
	run.x[1].res.events.has_text = false;
	run.x[3].res.usage.completion = 2;
	answered(&run, 2, "aa", "x");
	run.x[4].req.source_id = 77;
	verify(&run, &source, VERIFY_RECORDED, &v);
	assert_int_equal(v.all.pairs, 4);
	assert_int_equal(v.all.failed, 1);
	assert_int_equal(v.all.no_text, 1);
	assert_int_equal(verify_compared(&v.all), 2);
	assert_int_equal(v.all.identical, 2);
	assert_int_equal(v.all.other_body, 1);
	assert_int_equal(v.all.other_count, 1);
	assert_int_equal(v.unpaired, 1);
	verify_release(&v);
	unmake(&run);
	unmake(&source);
}

/* One body many times: the k-th is held against the k-th of the same concurrency. */
static void other_runs(void **state)
{
	static struct made a, b;
	struct verify v;

	(void)state;
	make(&a);
	make(&b);
	answered(&a, 1, "aa", "1");
	answered(&a, 1, "aa", "2");
	answered(&a, 2, "aa", "3");
	answered(&b, 2, "aa", "3");
	answered(&b, 1, "aa", "1");
	answered(&b, 1, "aa", "2");
	verify(&a, &b, VERIFY_OTHER, &v);
	assert_int_equal(v.all.pairs, 3);
	assert_int_equal(v.all.identical, 3);
	verify_release(&v);
	/* One plan: place goes before body. */
	a.segment.header.plan_digest = b.segment.header.plan_digest = str_of("p");
	verify(&a, &b, VERIFY_OTHER, &v);
	assert_int_equal(v.all.identical, 0);
	verify_release(&v);
	/* Other bodies of one source. */
	a.segment.header.plan_digest = str_of("q");
	a.segment.header.source_digest = b.segment.header.source_digest = str_of("s");
	for (int i = 0; i < 3; i++) {
		a.x[i].req.body_digest = str_of("ff");
		a.x[i].req.source_id = b.x[(i + 1) % 3].req.source_id = i;
	}
	verify(&a, &b, VERIFY_OTHER, &v);
	assert_int_equal(v.all.identical, 3);
	assert_int_equal(v.all.other_body, 3);
	verify_release(&v);
	unmake(&a);
	unmake(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cuts_between_events_are_no_difference),
		cmocka_unit_test(one_token_an_event),
		cmocka_unit_test(half_a_character_is_no_agreement),
		cmocka_unit_test(tokens_by_cumulative_usage),
		cmocka_unit_test(tokens_unknown),
		cmocka_unit_test(the_shorter_one_ended),
		cmocka_unit_test(channels_and_tool_calls),
		cmocka_unit_test(levels_of_one_run),
		cmocka_unit_test(what_failed_or_has_no_text_is_not_compared),
		cmocka_unit_test(other_runs),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
