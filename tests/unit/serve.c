/* tokserve's pure parts: events -> wire, which recording answers, what a request asks, words. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/accepted.h"
#include "replay/ask.h"
#include "replay/chunk.h"
#include "replay/recordings.h"
#include "replay/tokens.h"
#include "replay/words.h"

/* Events from a stream and back again. */

static const struct chunk_head chat = {
	.api = API_CHAT, .id = { "r", 1 }, .model = { "m", 1 }, .created_s = 1900000000,
	.usage = { 10, 3, 13, COUNT_NONE, COUNT_NONE },
};

static void collect(void *arg, const struct event *e)
{
	assert_int_equal(events_add(arg, e), 0);
}

/* A body, in one read, as events. */
static void parse(enum api_kind api, const char *p, size_t n, struct events *out)
{
	struct api *a = api_create(api, 1 << 20, collect, out);

	assert_non_null(a);
	events_init(out, true, 1 << 20);
	assert_int_equal(api_feed(a, p, n, 5), 0);
	api_end(a, 6);
	api_free(a);
}

/* Events -> bytes, wire event by wire event. */
static void put_all(struct buf *out, const struct chunk_head *h, const struct events *ev)
{
	struct events_iter it = { 0 };
	struct event parts[16], e;
	size_t n = 0;
	bool more = events_next(ev, &it, &e);

	while (more) {
		parts[n++] = e;
		more = events_next(ev, &it, &e);
		if (!more || !(e.flags & EVF_PART)) {
			assert_int_equal(chunk_sse(out, h, parts, n), 0);
			n = 0;
		}
	}
}

static void same_events(const struct events *a, const struct events *b)
{
	struct events_iter ia = { 0 }, ib = { 0 };
	struct event ea, eb;

	assert_int_equal(a->n, b->n);
	while (events_next(a, &ia, &ea)) {
		assert_true(events_next(b, &ib, &eb));
		assert_int_equal(ea.cls, eb.cls);
		assert_int_equal(ea.flags, eb.flags);
		assert_int_equal(ea.choice, eb.choice);
		assert_int_equal(ea.cum_tokens, eb.cum_tokens);
		assert_int_equal(ea.text.n, eb.text.n);
		assert_true(ea.text.n == 0 || memcmp(ea.text.p, eb.text.p, ea.text.n) == 0);
	}
}

static void comes_back(const struct chunk_head *h, const char *stream)
{
	struct events first, second;
	struct buf out;

	buf_init(&out, 1 << 20);
	parse(h->api, stream, strlen(stream), &first);
	assert_true(first.n > 0);
	put_all(&out, h, &first);
	parse(h->api, out.p, out.n, &second);
	same_events(&first, &second);
	events_release(&first);
	events_release(&second);
	buf_release(&out);
}

#define C(delta) "data: {\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":" delta \
	",\"finish_reason\":null}]}\n\n"

static void chat_streams_come_back(void **state)
{
	struct chunk_head reasoning = chat;

	(void)state;
	comes_back(&chat, C("{\"role\":\"assistant\",\"content\":\"\"}") C("{\"content\":\"Red\"}")
		   C("{}") C("{\"content\":\" \\\"f\\\\ox\\n\\u0000\\u00e9\\ud83d\\ude00\\u2028\"}")
		   C("{\"refusal\":\"no\"}") "data: [DONE]\n\n");
	comes_back(&chat, C("{\"reasoning_content\":\"Let\"}") C("{\"content\":\"42\"}"));
	reasoning.reasoning_key = str_of("reasoning");
	comes_back(&reasoning, C("{\"reasoning\":\"Let\"}") C("{\"reasoning\":\" me\",\"content\":\"x\"}"));
	comes_back(&chat, C("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\","
			    "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}")
		   C("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\": 1}\"}},"
		     "{\"index\":1,\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}"));
}

static void usage_choices_and_ends_come_back(void **state)
{
	(void)state;
	comes_back(&chat, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
		   "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,"
		   "\"completion_tokens\":2,\"total_tokens\":12}}\n\n");
	comes_back(&chat, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,"
		   "\"completion_tokens\":3,\"total_tokens\":13}}\n\ndata: [DONE]\n\n");
	comes_back(&chat, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},"
		   "{\"index\":1,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\n");
	comes_back(&chat, ": ping\n\n" C("{\"content\":\"x\"}")
		   "data: {\"error\":{\"message\":\"full\",\"code\":503}}\n\n");
	comes_back(&chat, "data: <html>\ndata: two\n\n");
}

static void completions_come_back(void **state)
{
	struct chunk_head h = chat;

	(void)state;
	h.api = API_COMPLETIONS;
	comes_back(&h, "data: {\"choices\":[{\"index\":0,\"text\":\"a b\",\"finish_reason\":null}]}\n\n"
		   "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":null}]}\n\n"
		   "data: {\"choices\":[{\"index\":0,\"text\":\"c\",\"finish_reason\":\"stop\"}]}\n\n"
		   "data: [DONE]\n\n");
}

static void a_stream_becomes_one_body(void **state)
{
	static const char stream[] =
		C("{\"role\":\"assistant\"}") C("{\"reasoning_content\":\"hm\"}")
		C("{\"content\":\"Red\"}") C("{\"content\":\" fox\"}")
		C("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}]}")
		C("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\":1}\"}}]}")
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
	struct events ev;
	struct buf out;
	json_t *body, *o, *m;

	(void)state;
	parse(API_CHAT, stream, strlen(stream), &ev);
	buf_init(&out, 1 << 20);
	assert_int_equal(chunk_whole(&out, &chat, &ev), 0);
	body = json_loadb(out.p, out.n, 0, NULL);
	assert_non_null(body);
	o = json_array_get(json_object_get(body, "choices"), 0);
	m = json_object_get(o, "message");
	assert_string_equal(json_string_value(json_object_get(m, "content")), "Red fox");
	assert_string_equal(json_string_value(json_object_get(m, "reasoning_content")), "hm");
	assert_string_equal(json_string_value(json_object_get(o, "finish_reason")), "tool_calls");
	m = json_array_get(json_object_get(m, "tool_calls"), 0);
	m = json_object_get(m, "function");
	assert_string_equal(json_string_value(json_object_get(m, "arguments")), "{\"a\":1}");
	json_decref(body);
	events_release(&ev);
	buf_release(&out);
}

/* Which recording answers. */

static void recordings_by_digest_then_by_order(void **state)
{
	struct exchange x[5] = { 0 };
	struct trace_data t = { .x = x, .n = 5 };
	struct recordings r;
	char a[DIGEST_HEX + 1], b[DIGEST_HEX + 1];

	(void)state;
	digest_bytes("a", 1, a);
	digest_bytes("b", 1, b);
	x[0].req.body = str_of("a");
	x[1].req.body_digest = str_of(b); /* a trace may hold only the digest */
	x[2].req.body = str_of("a");
	x[3].req.body = str_of("zzz"); /* never answered */
	for (int i = 0; i < 5; i++)
		x[i].has_response = i != 3;
	assert_int_equal(recordings_init(&r, &t), 0);
	assert_int_equal(r.n, 4);
	assert_ptr_equal(recordings_by_digest(&r, a), &x[0]);
	assert_ptr_equal(recordings_by_digest(&r, b), &x[1]);
	assert_ptr_equal(recordings_by_digest(&r, a), &x[2]);
	assert_ptr_equal(recordings_by_digest(&r, a), &x[0]);
	assert_ptr_equal(recordings_by_digest(&r, b), &x[1]);
	assert_null(recordings_by_digest(&r, "c0ffee"));
	assert_ptr_equal(recordings_by_order(&r), &x[0]);
	assert_ptr_equal(recordings_by_order(&r), &x[1]);
	assert_ptr_equal(recordings_by_order(&r), &x[2]);
	assert_ptr_equal(recordings_by_order(&r), &x[4]);
	assert_ptr_equal(recordings_by_order(&r), &x[0]);
	recordings_release(&r);
}

/* When a request began. */

static void a_connection_made_for_a_request_is_its_begin(void **state)
{
	static struct accepted a;
	static const int64_t ms = 1000000;
	const struct bufferevent *one = (const void *)"1", *two = (const void *)"2";

	(void)state;
	accepted_note(&a, one, 100 * ms);
	accepted_note(&a, two, 101 * ms);
	assert_int_equal(accepted_begin(&a, one, 103 * ms), 100 * ms);
	assert_int_equal(accepted_begin(&a, one, 104 * ms), 104 * ms); /* its second request */
	assert_int_equal(accepted_begin(&a, two, 200 * ms), 200 * ms); /* opened long ahead */
	accepted_note(&a, two, 300 * ms);
	accepted_note(&a, two, 400 * ms); /* the same address again */
	assert_int_equal(accepted_begin(&a, two, 401 * ms), 400 * ms);
	for (int i = 0; i < 2 * ACCEPTED_MAX; i++)
		accepted_note(&a, two, i * ms);
	assert_int_equal(accepted_begin(&a, one, 5 * ms), 5 * ms);
}

/* What a request asks. */

static void requests_are_read_with_their_defaults(void **state)
{
	struct ask a;
	struct err e;

	(void)state;
	assert_int_equal(ask_parse(str_of("{\"prompt\":\"a b\",\"max_tokens\":null}"), API_COMPLETIONS, 0, &a, &e), 0);
	assert_int_equal(a.max_tokens, COUNT_NONE);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.prompt_tokens, 2);
	assert_false(a.stream || a.include_usage || a.ignore_eos);
	assert_int_equal(ask_parse(str_of("{\"messages\":[{\"content\":\"a\"},{\"content\":null},"
					  "{\"content\":[{\"text\":\"b c\"},{\"image_url\":{}}]}],"
					  "\"max_tokens\":9,\"max_completion_tokens\":4,\"n\":3,"
					  "\"stream\":true,\"ignore_eos\":true}"), API_CHAT, 0, &a, &e), 0);
	assert_int_equal(a.max_tokens, 4);
	assert_int_equal(a.prompt_tokens, 3);
	assert_int_equal(a.n, 3);
	assert_true(a.stream && a.ignore_eos);
	assert_int_equal(ask_parse(str_of("{\"prompt\":[[1,2,3],[4]]}"), API_COMPLETIONS, 0, &a, &e), 0);
	assert_int_equal(a.prompt_tokens, 3);
	assert_int_equal(ask_parse(str_of("{\"prompt\":\"\"}"), API_COMPLETIONS, 0, &a, &e), 0);
	assert_int_equal(a.prompt_tokens, 1);
}

static void wrong_requests_are_refused(void **state)
{
	static const char *const wrong[] = {
		"", "[]", "7", "{\"prompt\":7}", "{\"prompt\":[]}", "{\"prompt\":\"a\",\"n\":0}",
		"{\"prompt\":\"a\",\"n\":65}", "{\"prompt\":\"a\",\"stream\":1}",
		"{\"prompt\":\"a\",\"max_tokens\":1.5}", "{\"prompt\":\"a\",\"min_tokens\":-1}",
		"{\"prompt\":\"a\",\"stream_options\":{}}",
	};
	struct ask a;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(ask_parse(str_of(wrong[i]), API_COMPLETIONS, 0, &a, &e), -1);
	assert_int_equal(ask_parse(str_of("{\"messages\":[]}"), API_CHAT, 0, &a, &e), -1);
	assert_int_equal(ask_parse(str_of("{\"messages\":[\"x\"]}"), API_CHAT, 0, &a, &e), -1);
}

/* Block ids of a chat with these two contents, blocks of two tokens. */
static size_t ids_of(const char *first, const char *second, struct ask *a)
{
	char body[256];
	struct err e;

	snprintf(body, sizeof(body), "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"},"
		 "{\"role\":\"user\",\"content\":\"%s\"}]}", first, second);
	assert_int_equal(ask_parse(str_of(body), API_CHAT, 2, a, &e), 0);
	return a->prompt.n;
}

static void prompts_that_begin_alike_share_block_ids(void **state)
{
	struct ask a, b, c;

	(void)state;
	assert_int_equal(ids_of("a b c d", "e f g", &a), 3);
	assert_int_equal(ids_of("a b c d", "e x g", &b), 3);
	assert_int_equal(ids_of("a b", "c d e f g", &c), 3);
	assert_true(a.prompt.ids[0] == b.prompt.ids[0] && a.prompt.ids[1] == b.prompt.ids[1]);
	assert_true(a.prompt.ids[2] != b.prompt.ids[2]);
	assert_true(a.prompt.ids[0] == c.prompt.ids[0] && a.prompt.ids[1] != c.prompt.ids[1]);
	ask_release(&a);
	ask_release(&b);
	ask_release(&c);
}

static void words_are_one_token_each(void **state)
{
	struct words w, same, other;
	struct buf text;
	bool differ = false;

	(void)state;
	buf_init(&text, 1 << 16);
	words_init(&w, 1, "0123456789abcdef0", 0);
	words_init(&same, 1, "0123456789abcdef0", 0);
	words_init(&other, 1, "0123456789abcdef0", 1);
	for (int i = 0; i < 1000; i++) {
		struct str s = words_next(&w);

		assert_true(str_eq(s, words_next(&same)));
		differ |= !str_eq(s, words_next(&other));
		buf_add(&text, s.p, s.n);
		assert_int_equal(tokens_count(buf_str(&text)), i + 1);
	}
	assert_true(differ);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chat_streams_come_back),
		cmocka_unit_test(usage_choices_and_ends_come_back),
		cmocka_unit_test(completions_come_back),
		cmocka_unit_test(a_stream_becomes_one_body),
		cmocka_unit_test(recordings_by_digest_then_by_order),
		cmocka_unit_test(a_connection_made_for_a_request_is_its_begin),
		cmocka_unit_test(requests_are_read_with_their_defaults),
		cmocka_unit_test(wrong_requests_are_refused),
		cmocka_unit_test(prompts_that_begin_alike_share_block_ids),
		cmocka_unit_test(words_are_one_token_each),
	};

	return cmocka_run_group_tests_name("serve", tests, NULL, NULL);
}
