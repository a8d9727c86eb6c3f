/* prompt: exact lengths by the simulated tokenizer's rule, sharing, determinism. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "formats/base/clock.h"
#include "replay/prompt.h"
#include "replay/prompt_text.h"
#include "replay/tokens.h"

static int set_up(void **state)
{
	*state = prompt_create();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	prompt_free(*state);
	return 0;
}

static struct buf make(const struct prompt *p, const struct prompt_ask *ask)
{
	struct buf b;

	buf_init(&b, 1 << 24);
	assert_int_equal(prompt_make(p, ask, &b), 0);
	return b;
}

static size_t common_prefix(const struct buf *a, const struct buf *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && a->p[i] == b->p[i])
		i++;
	return i;
}

static void lengths_are_exact(void **state)
{
	static const int64_t large[] = { 8191, 8192, 24576, 131072 };

	for (int64_t n = 1; n <= 1500; n++) {
		struct prompt_ask ask = { .tokens = n, .seed = 7, .request = (uint64_t)n };
		struct buf b = make(*state, &ask);

		assert_int_equal(tokens_count(buf_str(&b)), n);
		buf_release(&b);
	}
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) {
		struct prompt_ask ask = { .tokens = large[i], .seed = 7 };
		struct buf b = make(*state, &ask);

		assert_int_equal(tokens_count(buf_str(&b)), large[i]);
		buf_release(&b);
	}
}

static void lengths_with_blocks_are_exact(void **state)
{
	static const uint64_t ids[] = { 0, 5, UINT64_MAX, 77 };

	for (int64_t n = 1; n <= 80; n++) {
		/* Past 64 tokens no block is left: the rest is the request's own. */
		struct prompt_ask ask = { .tokens = n, .block_tokens = 16, .blocks = ids,
					  .n_blocks = 4 };
		struct buf b = make(*state, &ask);

		assert_int_equal(tokens_count(buf_str(&b)), n);
		buf_release(&b);
	}
}

static void same_arguments_same_text(void **state)
{
	struct prompt_ask ask = { .tokens = 300, .seed = 1, .copy = 2, .request = 3 };
	struct prompt *other = prompt_create();
	struct buf a = make(*state, &ask), b = make(other, &ask);

	assert_true(str_eq(buf_str(&a), buf_str(&b)));
	buf_release(&a);
	buf_release(&b);
	prompt_free(other);
}

/* Another seed, copy or request differs within the head: nothing to share. */
static void whatever_differs_differs_at_once(void **state)
{
	struct prompt_ask base = { .tokens = 300, .seed = 1, .copy = 2, .request = 3 };
	struct prompt_ask asks[3] = { base, base, base };
	struct buf a = make(*state, &base);

	asks[0].seed = 2;
	asks[1].copy = 3;
	asks[2].request = 4;
	for (int i = 0; i < 3; i++) {
		struct buf b = make(*state, &asks[i]);
		struct str same = { a.p, common_prefix(&a, &b) };

		assert_true(tokens_count(same) < PROMPT_HEAD_TOKENS);
		buf_release(&b);
	}
	buf_release(&a);
}

static void requests_share_nothing(void **state)
{
	enum { N = 500 };
	static char heads[N][64];

	for (uint64_t i = 0; i < N; i++) {
		struct prompt_ask ask = { .tokens = PROMPT_HEAD_TOKENS, .request = i };
		struct buf b = make(*state, &ask);

		assert_true(b.n >= 40);
		memcpy(heads[i], b.p, 40);
		buf_release(&b);
		for (uint64_t k = 0; k < i; k++)
			assert_int_not_equal(memcmp(heads[i], heads[k], 40), 0);
	}
}

/* Blocks 0 and 1 in common, then another id: exactly 32 tokens are shared, give or take the head. */
static void equal_blocks_give_equal_text(void **state)
{
	static const uint64_t ids_a[] = { 10, 11, 12 }, ids_b[] = { 10, 11, 13 };
	struct prompt_ask a = { .tokens = 48, .block_tokens = 16, .blocks = ids_a,
				.n_blocks = 3, .request = 1 };
	struct prompt_ask b = a;
	struct buf ta, tb, tshort;
	struct str same;

	b.blocks = ids_b;
	b.request = 2;
	ta = make(*state, &a);
	tb = make(*state, &b);
	same = (struct str){ ta.p, common_prefix(&ta, &tb) };
	assert_true(tokens_count(same) >= 32);
	assert_true(tokens_count(same) < 32 + PROMPT_HEAD_TOKENS);

	/* A cut last block is the beginning of the whole one. */
	b = a;
	b.tokens = 41;
	tshort = make(*state, &b);
	assert_int_equal(common_prefix(&ta, &tshort), tshort.n);

	/* The same blocks in another copy share nothing. */
	buf_release(&tshort);
	b.copy = 1;
	tshort = make(*state, &b);
	same = (struct str){ ta.p, common_prefix(&ta, &tshort) };
	assert_true(tokens_count(same) < PROMPT_HEAD_TOKENS);
	buf_release(&ta);
	buf_release(&tb);
	buf_release(&tshort);
}

/* Block id 3 at two places of two prompts: the text is the id's, wherever it stands. */
static void block_text_does_not_depend_on_its_place(void **state)
{
	static const uint64_t ids_a[] = { 1, 3 }, ids_b[] = { 2, 3 };
	struct prompt_ask a = { .tokens = 64, .block_tokens = 32, .blocks = ids_a, .n_blocks = 2 };
	struct prompt_ask b = a;
	struct buf ta = make(*state, &a), tb;
	size_t n = 0;

	b.blocks = ids_b;
	tb = make(*state, &b);
	while (n < ta.n && n < tb.n && ta.p[ta.n - 1 - n] == tb.p[tb.n - 1 - n])
		n++;
	assert_true(tokens_count((struct str){ ta.p + ta.n - n, n }) >= 32);
	buf_release(&ta);
	buf_release(&tb);
}

/* JSON needs no escape in it, and every word of the heads is one token. */
static void text_is_plain(void **state)
{
	(void)state;
	for (const char *c = prompt_text; *c; c++)
		assert_true((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == ' ' ||
			    *c == '.' || *c == ',');
	assert_int_equal(prompt_text[0], ' ');
	assert_int_equal(prompt_text[strlen(prompt_text) - 1], '.');
	for (int i = 0; i < PROMPT_WORDS; i++) {
		assert_int_equal(tokens_count(str_of(prompt_words[i])), 1);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(prompt_words[i], prompt_words[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_exact),
		cmocka_unit_test(lengths_with_blocks_are_exact),
		cmocka_unit_test(same_arguments_same_text),
		cmocka_unit_test(whatever_differs_differs_at_once),
		cmocka_unit_test(requests_share_nothing),
		cmocka_unit_test(equal_blocks_give_equal_text),
		cmocka_unit_test(block_text_does_not_depend_on_its_place),
		cmocka_unit_test(text_is_plain),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
