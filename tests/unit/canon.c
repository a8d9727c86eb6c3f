/* canon: the canonical prompt of each protocol, compact JSON, and the blocks cut from it (toktrace.5). */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/rng.h"
#include "record/blocks.h"
#include "record/canon.h"
#include "record/compact.h"

/* Marks as the reader sees them in these tests. */
static void show(const struct buf *text, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < text->n; i++) {
		const char *as = text->p[i] == 0x1e ? "<" : text->p[i] == 0x1f ? "|" : NULL;

		if (as)
			buf_adds(out, as);
		else
			buf_add(out, text->p + i, 1);
	}
}

static void reads_as(enum api_kind api, const char *body, const char *want)
{
	struct canon c;
	struct buf got;
	size_t covered = 0;

	canon_init(&c);
	buf_init(&got, 1 << 20);
	assert_int_equal(canon_read(&c, api, str_of(body)), 0);
	show(&c.text, &got);
	assert_string_equal(buf_cstr(&got), want);
	for (size_t i = 0; i < c.n; i++) {
		assert_int_equal(c.v[i].off, covered);
		covered += c.v[i].len;
	}
	assert_int_equal(covered, c.text.n);
	buf_release(&got);
	canon_release(&c);
}

static void chat(void **state)
{
	(void)state;
	reads_as(API_CHAT, "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"S\"},"
		 "{\"content\":\"caf\\u00e9\\n\",\"role\":\"user\"}]}", "<system|S<user|caf\xc3\xa9\n");
	/* Parts count by their text, whatever decorates them. */
	reads_as(API_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"ab\","
		 "\"cache_control\":{\"type\":\"ephemeral\"}},{\"text\":\"c\",\"type\":\"text\"}]}]}", "<user|abc");
	reads_as(API_CHAT, "{\"tools\":[ {\"a\" : 1} ],\"messages\":[{\"role\":\"assistant\",\"content\":null,"
		 "\"refusal\":null,\"annotations\":[],\"tool_calls\":[{\"id\":\"c1\", \"function\":{\"name\":\"f\"}}]},"
		 "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"7\"}]}",
		 "<tools|[{\"a\":1}]<assistant||tool_calls|[{\"id\":\"c1\",\"function\":{\"name\":\"f\"}}]"
		 "<tool|7|tool_call_id|\"c1\"");
	reads_as(API_OLLAMA_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"images\":[\"aGk=\"]}]}",
		 "<user|x|images|[\"aGk=\"]");
}

static void others(void **state)
{
	(void)state;
	reads_as(API_COMPLETIONS, "{\"prompt\":\"once \\\"upon\\\"\"}", "once \"upon\"");
	reads_as(API_COMPLETIONS, "{\"prompt\":[\"a\",\"b\"],\"suffix\":\"z\"}", "<user|a<user|b<suffix|z");
	reads_as(API_COMPLETIONS, "{\"prompt\":[1, 2,3]}", "<user|[1,2,3]");
	reads_as(API_RESPONSES, "{\"instructions\":\"I\",\"input\":\"hi\"}", "<system|I<user|hi");
	reads_as(API_RESPONSES, "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"q\"}]},"
		 "{\"type\":\"function_call\",\"id\":\"x\",\"call_id\":\"k\",\"name\":\"f\",\"arguments\":\"{}\",\"status\":\"completed\"},"
		 "{\"type\":\"function_call_output\",\"call_id\":\"k\",\"output\":\"9\"},"
		 "{\"type\":\"message\",\"id\":\"y\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"r\",\"annotations\":[]}]}]}",
		 "<user|q<function_call|{\"type\":\"function_call\",\"call_id\":\"k\",\"name\":\"f\",\"arguments\":\"{}\"}"
		 "<function_call_output|{\"type\":\"function_call_output\",\"call_id\":\"k\",\"output\":\"9\"}<assistant|r");
	reads_as(API_MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":\"u\"}],\"system\":[{\"type\":\"text\",\"text\":\"s\"}],"
		 "\"tools\":[{\"name\":\"t\",\"cache_control\":{}}]}", "<tools|[{\"name\":\"t\"}]<system|s<user|u");
	reads_as(API_OLLAMA_GENERATE, "{\"prompt\":\"p\",\"system\":\"s\",\"suffix\":\"e\"}", "<system|s<user|p<suffix|e");
}

/* 300 bytes of base64 stand as their digest; 300 bytes of prose stay. */
static void data_counts_by_digest(void **state)
{
	char body[2048], a[301], prose[301];

	(void)state;
	memset(a, 'A', 300);
	memset(prose, 'w', 300);
	a[300] = prose[300] = '\0';
	prose[100] = ' ';
	snprintf(body, sizeof(body), "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"%s\"}]}]}", a);
	reads_as(API_MESSAGES, body, "<user|{\"type\":\"image\",\"data\":\"sha256:"
		 "4daeb9ac8be203281aceb5f4511220333686abfde4d2ccd50a49cd156a2e8cf5\"}");
	snprintf(body, sizeof(body), "{\"messages\":[{\"role\":\"user\",\"x\":\"%s\"}]}", prose);
	snprintf(body + 1024, 1024, "<user||x|\"%s\"", prose);
	reads_as(API_MESSAGES, body, body + 1024);
}

static void flags(void **state)
{
	struct canon c;

	(void)state;
	canon_init(&c);
	assert_int_equal(canon_read(&c, API_RESPONSES, str_of("{\"previous_response_id\":\"r\\u0031\",\"input\":\"x\"}")), 0);
	assert_false(c.whole);
	assert_true(str_is(buf_str(&c.previous), "r1"));
	assert_int_equal(canon_read(&c, API_RESPONSES, str_of("{\"conversation\":{\"id\":\"c9\"},\"input\":\"x\"}")), 0);
	assert_false(c.whole);
	assert_true(str_is(buf_str(&c.session), "c9"));
	assert_int_equal(canon_read(&c, API_COMPLETIONS, str_of("{\"prompt\":\"x\"}")), 0);
	assert_true(c.whole && c.appends);
	assert_int_equal(canon_read(&c, API_OLLAMA_GENERATE, str_of("{\"prompt\":\"x\",\"context\":[1, 2]}")), 0);
	assert_false(c.whole);
	assert_true(str_is(buf_str(&c.context), "[1,2]"));
	/* The words of an assistant, without its thinking. */
	assert_int_equal(canon_read(&c, API_MESSAGES, str_of("{\"messages\":[{\"role\":\"assistant\",\"content\":["
		"{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"yes\"}]}]}")), 0);
	assert_true(str_is(buf_str(&c.said), "yes"));
	assert_int_equal(canon_read(&c, API_CHAT, str_of("[1]")), -1);
	assert_int_equal(canon_read(&c, API_CHAT, str_of("{\"messages\":[")), -1);
	assert_int_equal(c.n, 0);
	canon_release(&c);
}

static void blocks_known(void **state)
{
	struct mac *m = mac_create(str_of("0123456789abcdef"));
	char prompt[2058];
	uint64_t *ids;

	(void)state;
	memset(prompt, 'a', 2048);
	memset(prompt + 2048, 'b', 10);
	assert_int_equal(blocks_make(m, str_of("m"), (struct str){ prompt, sizeof(prompt) }, &ids), 2);
	assert_true(ids[0] == UINT64_C(0x78624ec2749997bb) && ids[1] == UINT64_C(0x8e0fd852148c2d7b));
	free(ids);
	assert_int_equal(blocks_make(m, str_of("m"), (struct str){ prompt, 2048 }, &ids), 1);
	assert_true(ids[0] == UINT64_C(0x78624ec2749997bb));
	free(ids);
	assert_int_equal(blocks_make(m, str_of("n"), (struct str){ prompt, 2048 }, &ids), 1);
	assert_true(ids[0] != UINT64_C(0x78624ec2749997bb));
	free(ids);
	assert_int_equal(blocks_make(m, str_of("m"), (struct str){ prompt, 0 }, &ids), 0);
	mac_free(m);
}

/* Equal leading ids of two prompts = whole blocks of their common prefix (and the partial one, if they are equal). */
static void blocks_are_prefixes(void **state)
{
	struct mac *m = mac_create(str_of("another salt of ours"));
	static char a[20000], b[20000];
	struct rng g;

	(void)state;
	rng_init(&g, 1, "blocks", 0);
	for (int round = 0; round < 300; round++) {
		size_t na = rng_below(&g, sizeof(a)), nb = rng_below(&g, 4) ? rng_below(&g, sizeof(b)) : na, same, want, got = 0;
		size_t ka, kb;
		uint64_t *ia, *ib;

		for (size_t i = 0; i < sizeof(a); i++)
			a[i] = b[i] = (char)rng_u64(&g);
		if (rng_below(&g, 3))
			b[rng_below(&g, sizeof(b))] ^= 1;
		for (same = 0; same < na && same < nb && a[same] == b[same]; same++)
			;
		want = same == na && na == nb ? (na + 2047) / 2048 : same / 2048;
		ka = blocks_make(m, str_of("m"), (struct str){ a, na }, &ia);
		kb = blocks_make(m, str_of("m"), (struct str){ b, nb }, &ib);
		while (got < ka && got < kb && ia[got] == ib[got])
			got++;
		assert_int_equal(got, want);
		for (size_t i = got; i < ka && i < kb; i++)
			assert_true(ia[i] != ib[i]);
		free(ia);
		free(ib);
	}
	mac_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chat),
		cmocka_unit_test(others),
		cmocka_unit_test(data_counts_by_digest),
		cmocka_unit_test(flags),
		cmocka_unit_test(blocks_known),
		cmocka_unit_test(blocks_are_prefixes),
	};

	return cmocka_run_group_tests_name("canon", tests, NULL, NULL);
}
