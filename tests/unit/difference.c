/* difference: answers taken apart and compared. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/difference.h"
#include "tests/unit/talk.h"

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
	struct talk m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
}

static void one_token_an_event(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
}

/* Characters whose first bytes agree are different characters. */
static void half_a_character_is_no_agreement(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	talk_init(&m);
	x = ask(&m, 1, "a");
	y = ask(&m, 2, "a");
	say(x, "\xe4\xbd\xa0\xe5\xa5\xbd");
	say(y, "\xe4\xbd\xa0\xe5\xa5\xb9");
	l = compare(x, y, &store);
	assert_int_equal(l.first.chars, 1);
	is(l.first.a.text, "\xe5\xa5\xbd");
	is(l.first.before, "\xe4\xbd\xa0");
	talk_release(&m);
	arena_release(&store);
}

static void tokens_by_cumulative_usage(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
}

/* No usage, or the usage of two choices together: events are counted, tokens unknown. */
static void tokens_unknown(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
}

static void the_shorter_one_ended(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y, *z;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
}

/* The earliest place counts, whatever its channel; ids of calls are new each time. */
static void channels_and_tool_calls(void **state)
{
	struct arena store = { NULL, 0 };
	struct talk m;
	struct exchange *x, *y, *z;
	struct likeness l;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
	arena_release(&store);
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
	};

	return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
