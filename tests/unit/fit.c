/* fit: prompts of exactly the asked length under tokenizers made up here; what they share. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "formats/base/clock.h"
#include "replay/fit.h"
#include "replay/tokenize.h"
#include "replay/tokens.h"

enum { TEMPLATE = 9, TEXT_MAX = 1 << 24 };

static int64_t calls;

/* A word costs a token for each k letters begun; arg: k. */
static int64_t by_letters(void *arg, struct str text, struct err *e)
{
	int64_t k = *(const int64_t *)arg, n = TEMPLATE;

	(void)e;
	calls++;
	for (size_t i = 0; i < text.n; ) {
		size_t end = i + 1;

		while (end < text.n && text.p[end] != ' ')
			end++;
		n += ((int64_t)(end - i) + k - 1) / k;
		i = end;
	}
	return n;
}

static int64_t by_rule(void *arg, struct str text, struct err *e)
{
	(void)arg, (void)e;
	return tokens_count(text);
}

/* No cuts at spaces: every eight bytes are a token. */
static int64_t by_bytes(void *arg, struct str text, struct err *e)
{
	(void)arg, (void)e;
	return (int64_t)text.n / 8 + 1;
}

static int64_t refuse(void *arg, struct str text, struct err *e)
{
	(void)arg, (void)text;
	err_set(e, "no");
	return -1;
}

static struct prompt_ask asking(int64_t tokens, uint64_t request)
{
	return (struct prompt_ask){ .tokens = tokens, .seed = 3, .request = request,
				    .block_tokens = COUNT_NONE };
}

static int64_t made(const struct fit *f, fit_count *count, void *arg, const struct prompt_ask *ask)
{
	struct buf b;
	struct err e;
	int64_t n;

	buf_init(&b, TEXT_MAX);
	assert_int_equal(fit_make(f, ask, &b), 0);
	n = count(arg, buf_str(&b), &e);
	buf_release(&b);
	return n;
}

static void lengths_are_exact(void **state)
{
	(void)state;
	for (int64_t k = 2; k <= 40; k = k * 2 + 1) {
		struct err e;
		struct fit *f = fit_create(by_letters, &k, 0, &e);

		assert_non_null(f);
		assert_int_equal(fit_least(f), TEMPLATE + 1);
		for (int64_t n = fit_least(f); n < 30000; n += 1 + n / 7) {
			struct prompt_ask ask = asking(n, (uint64_t)n);

			assert_int_equal(made(f, by_letters, &k, &ask), n);
		}
		assert_int_equal(fit_check(f, by_letters, &k, 5000, &e), 0);
		fit_free(f);
	}
}

static void our_own_rule_is_met_too(void **state)
{
	struct err e;
	struct fit *f = fit_create(by_rule, NULL, 0, &e);

	(void)state;
	assert_non_null(f);
	for (int64_t n = 1; n < 3000; n += 37) {
		struct prompt_ask ask = asking(n, 1);

		assert_int_equal(made(f, by_rule, NULL, &ask), n);
	}
	fit_free(f);
}

static void too_short_is_as_short_as_can_be(void **state)
{
	int64_t k = 3;
	struct err e;
	struct fit *f = fit_create(by_letters, &k, 0, &e);
	struct prompt_ask ask = asking(2, 1);

	(void)state;
	assert_non_null(f);
	assert_int_equal(made(f, by_letters, &k, &ask), fit_least(f));
	fit_free(f);
}

/* 64 words and 26 letters that begin a prompt, and one question for all other words. */
static void words_that_are_tokens_need_few_questions(void **state)
{
	int64_t k = 100;
	struct err e;
	struct fit *f;

	(void)state;
	calls = 0;
	f = fit_create(by_letters, &k, 0, &e);
	assert_non_null(f);
	assert_int_equal(calls, 64 + 26 + 1);
	fit_free(f);
}

static size_t common(const struct buf *a, const struct buf *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && a->p[i] == b->p[i])
		i++;
	return i;
}

static void make(const struct fit *f, const struct prompt_ask *ask, struct buf *out)
{
	buf_init(out, TEXT_MAX);
	assert_int_equal(fit_make(f, ask, out), 0);
}

static int64_t cost(int64_t k, const struct buf *b, size_t n)
{
	struct err e;

	return by_letters(&k, (struct str){ b->p, n }, &e);
}

static void blocks_are_shared_and_nothing_else(void **state)
{
	static const uint64_t one[] = { 1, 2, 3 }, two[] = { 1, 2, 4 };
	int64_t k = 4;
	struct err e;
	struct fit *f = fit_create(by_letters, &k, 0, &e);
	struct prompt_ask a = asking(700, 1), b = asking(650, 2), other;
	struct buf ta, tb, to, again;
	size_t n;

	(void)state;
	assert_non_null(f);
	a.block_tokens = b.block_tokens = 200;
	a.blocks = one;
	b.blocks = two;
	a.n_blocks = b.n_blocks = 3;
	other = a;
	other.copy = 1;
	make(f, &a, &ta);
	make(f, &b, &tb);
	make(f, &other, &to);
	make(f, &a, &again);
	assert_int_equal(cost(k, &ta, ta.n), 700);
	assert_int_equal(cost(k, &tb, tb.n), 650);
	n = common(&ta, &tb);
	/* Both blocks, and at most a few letters of the next words. */
	assert_true(cost(k, &ta, n) >= 400 && cost(k, &ta, n) < 420);
	assert_true(common(&ta, &to) < 60);
	assert_int_equal(common(&ta, &again), ta.n);
	buf_release(&ta);
	buf_release(&tb);
	buf_release(&to);
	buf_release(&again);
	fit_free(f);
}

/* Blocks smaller than what the template takes. */
static void small_blocks_add_up(void **state)
{
	static const uint64_t ids[] = { 7, 8, 9, 10 };
	int64_t k = 4;
	struct err e;
	struct fit *f = fit_create(by_letters, &k, 0, &e);

	(void)state;
	assert_non_null(f);
	for (int64_t block = 1; block < 40; block++) {
		struct prompt_ask a = asking(4 * block, 1);

		a.block_tokens = block;
		a.blocks = ids;
		a.n_blocks = 4;
		assert_int_equal(made(f, by_letters, &k, &a),
				 4 * block < fit_least(f) ? fit_least(f) : 4 * block);
	}
	fit_free(f);
}

static void what_does_not_add_up_is_refused(void **state)
{
	struct err e;

	(void)state;
	assert_null(fit_create(by_bytes, NULL, 0, &e));
	assert_null(fit_create(refuse, NULL, 0, &e));
	assert_string_equal(e.msg, "no");
}

static void answers_of_tokenize_are_read(void **state)
{
	(void)state;
	assert_int_equal(tokenize_read(str_of("{\"count\":3,\"tokens\":[1,2,3]}")), 3);
	assert_int_equal(tokenize_read(str_of("{\"tokens\":[1,2]}")), 2);
	assert_int_equal(tokenize_read(str_of("{\"tokens\":[{\"id\":1,\"piece\":\"a\"}]}")), 1);
	assert_int_equal(tokenize_read(str_of("{\"detail\":\"Not Found\"}")), COUNT_NONE);
	assert_int_equal(tokenize_read(str_of("{\"count\":\"3\"}")), COUNT_NONE);
	assert_int_equal(tokenize_read(str_of("")), COUNT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_exact),
		cmocka_unit_test(our_own_rule_is_met_too),
		cmocka_unit_test(too_short_is_as_short_as_can_be),
		cmocka_unit_test(words_that_are_tokens_need_few_questions),
		cmocka_unit_test(blocks_are_shared_and_nothing_else),
		cmocka_unit_test(small_blocks_add_up),
		cmocka_unit_test(what_does_not_add_up_is_refused),
		cmocka_unit_test(answers_of_tokenize_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
