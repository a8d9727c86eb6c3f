/* record_odd: records that must not be written, or not be believed. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "formats/trace/decode.h"
#include "formats/trace/encode.h"

static int decode(const struct buf *b, struct record *r, struct decode_store *s)
{
	struct err e;

	return record_decode(b->p, b->n, s, r, &e);
}

static void what_is_no_number_is_left_out_of_a_sample(void **state)
{
	static const struct sample_value v[] = {
		{ { "nan", 3 }, NAN }, { { "two", 3 }, 2 }, { { "inf", 3 }, INFINITY },
		{ { "minus", 5 }, -INFINITY },
	};
	struct decode_store s;
	struct record r;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	decode_store_init(&s, 1 << 20);
	record_init(&r, REC_SAMPLE);
	r.u.sample.v = v;
	r.u.sample.n = 4;
	assert_int_equal(record_encode(&r, &b), 0);
	assert_int_equal(decode(&b, &r, &s), 0);
	assert_int_equal(r.u.sample.n, 1);
	assert_true(str_is(r.u.sample.v[0].name, "two"));
	buf_release(&b);
	decode_store_release(&s);
}

/* {"kind":"response","id":0,"dt":[],"cls":[1,2]} and the like. */
static void arrays_of_different_length_are_damage(void **state)
{
	static const char head[] = "\x84\xa4kind\xa8response\xa2id";
	static const struct {
		const char *arrays;
		size_t n;
		int want;
	} cases[] = {
		{ "\xa2" "dt\x90\xa3" "cls\x90", 9, 0 },
		{ "\xa2" "dt\x90\xa3" "cls\x92\x01\x02", 11, -1 },
		{ "\xa2" "dt\x92\x01\x02\xa3" "cls\x90", 11, -1 },
		{ "\xa2" "dt\x92\x01\x02\xa3" "cls\x92\x01\x02", 13, 0 },
	};
	struct decode_store s;
	struct record r;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	decode_store_init(&s, 1 << 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		buf_add(&b, head, sizeof(head)); /* and the id, which is 0 */
		buf_add(&b, cases[i].arrays, cases[i].n);
		assert_int_equal(decode(&b, &r, &s), cases[i].want);
	}
	buf_release(&b);
	decode_store_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_number_is_left_out_of_a_sample),
		cmocka_unit_test(arrays_of_different_length_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
