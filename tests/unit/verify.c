/* verify: which answers are held against which, and what is counted. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/verify.h"
#include "tests/unit/talk.h"

static void answered(struct talk *m, int64_t phase, const char *body, const char *text)
{
	struct exchange *x = ask(m, phase, body);

	say(x, text);
	finish(x, "stop", 1);
}

static void verify(const struct talk *run, const struct talk *ref, enum verify_against against,
		   struct verify *v)
{
	struct err e = { "" };

	if (verify_run(&run->d, &ref->d, against, v, &e) < 0)
		fail_msg("%s", e.msg);
}

static void levels_of_one_run(void **state)
{
	static struct talk m;
	struct verify v;

	(void)state;
	talk_init(&m);
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
	talk_release(&m);
}

static void what_failed_or_has_no_text_is_not_compared(void **state)
{
	static struct talk run, source;
	struct verify v;

	(void)state;
	talk_init(&run);
	talk_init(&source);
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
	talk_release(&run);
	talk_release(&source);
}

/* One body many times: the k-th is held against the k-th of the same concurrency. */
static void other_runs(void **state)
{
	static struct talk a, b;
	struct verify v;

	(void)state;
	talk_init(&a);
	talk_init(&b);
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
	talk_release(&a);
	talk_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of_one_run),
		cmocka_unit_test(what_failed_or_has_no_text_is_not_compared),
		cmocka_unit_test(other_runs),
	};

	return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
