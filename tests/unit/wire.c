/* SSE framing and the meaning of stream events: cases D01 to D09 at every split. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"

#define CHUNK(choices, more) "data: {\"id\":\"r\",\"object\":\"chat.completion.chunk\",\"created\":1900000000," \
	"\"model\":\"m\\/x\",\"choices\":" choices more "}\n\n"
#define D(delta) CHUNK("[{\"index\":0,\"delta\":" delta ",\"finish_reason\":null}]", "")
#define T(text) D("{\"content\":\"" text "\"}")
#define F(reason) CHUNK("[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]", "")
#define U(p, c) CHUNK("[]", ",\"usage\":{\"prompt_tokens\":" #p ",\"completion_tokens\":" #c ",\"total_tokens\":9}")
#define DONE "data: [DONE]\n\n"

struct log {
	struct buf text;
	struct api_summary sum;
};

static void note(void *arg, const struct event *e)
{
	struct buf *b = arg;

	buf_printf(b, "%s", event_class_name(e->cls));
	if (e->choice)
		buf_printf(b, "#%d", e->choice);
	if (e->text.p)
		buf_printf(b, "(%.*s)", (int)e->text.n, e->text.p);
	if (e->cum_tokens != COUNT_NONE)
		buf_printf(b, "=%d", (int)e->cum_tokens);
	if (e->flags & EVF_PART)
		buf_adds(b, "+");
	buf_adds(b, " ");
}

/* Feeds in two pieces, or byte by byte where cut is (size_t)-1. */
static void run(const char *s, size_t n, size_t cut, enum api_kind k, struct buf *out, struct api_summary *sum)
{
	struct api *a = api_create(k, 1 << 20, note, out);

	buf_clear(out);
	if (cut == (size_t)-1) {
		for (size_t i = 0; i < n; i++)
			assert_int_equal(api_feed(a, s + i, 1, (int64_t)i), 0);
	} else {
		assert_int_equal(api_feed(a, s, cut, 1), 0);
		assert_int_equal(api_feed(a, s + cut, n - cut, 2), 0);
	}
	api_end(a, 3);
	api_summary(a, sum);
	sum->error_text = sum->finish_reason = sum->model = sum->id = (struct str){ NULL, 0 };
	api_free(a);
}

static struct api_summary expect_n(const char *s, size_t n, enum api_kind k, const char *want)
{
	struct api_summary sum = { 0 };
	struct buf out;

	buf_init(&out, 1 << 20);
	for (size_t cut = 0; cut <= n; cut++) {
		run(s, n, cut, k, &out, &sum);
		assert_string_equal(buf_cstr(&out), want);
	}
	run(s, n, (size_t)-1, k, &out, &sum);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
	return sum;
}

static struct api_summary expect(const char *s, const char *want)
{
	return expect_n(s, strlen(s), API_CHAT, want);
}

static void roles_and_empty_chunks_are_no_tokens(void **state)
{
	struct api_summary s;

	(void)state;
	s = expect(D("{\"role\":\"assistant\",\"content\":\"\"}") T("Red") T("") F("stop") U(9, 3) DONE,
		   "role(assistant) content(Red) empty finish(stop) "
		   "usage({\"prompt_tokens\":9,\"completion_tokens\":3,\"total_tokens\":9})=3 done ");
	assert_true(s.done && !s.error);
	assert_int_equal(s.usage.prompt, 9);
	assert_int_equal(s.usage.completion, 3);
	assert_int_equal(s.finishes, 1);
	expect(D("{\"role\":\"assistant\",\"content\":null}"), "role(assistant) ");
	expect(D("{\"role\":\"assistant\",\"content\":\"Hi\"}"), "role(assistant) content(Hi)+ ");
}

static void reasoning_has_its_own_class(void **state)
{
	struct api_summary s;

	(void)state;
	s = expect(D("{\"content\":null,\"reasoning_content\":\"Let\"}") D("{\"content\":\"42\",\"reasoning_content\":null}"),
		   "reasoning(Let) content(42) ");
	assert_true(str_is(s.reasoning_key, "reasoning_content"));
	s = expect(D("{\"reasoning\":\"Let\"}"), "reasoning(Let) ");
	assert_true(str_is(s.reasoning_key, "reasoning"));
	expect(D("{\"reasoning\":\"a\",\"reasoning_content\":\"a\"}"), "reasoning(a) ");
}

static void usage_in_all_its_shapes(void **state)
{
	struct api_summary s;

	(void)state;
	s = expect(CHUNK("[{\"index\":0,\"delta\":{\"content\":\"a\"}}]", ",\"usage\":{\"completion_tokens\":1}")
		   CHUNK("[{\"index\":0,\"delta\":{\"content\":\"b\"}}]", ",\"usage\":null")
		   CHUNK("[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]", ",\"usage\":{\"completion_tokens\":5,"
			 "\"prompt_tokens_details\":null,\"completion_tokens_details\":{\"reasoning_tokens\":4}}"),
		   "content(a)=1 content(b) finish(stop)=5 ");
	assert_int_equal(s.usage.completion, 5);
	assert_int_equal(s.usage.reasoning, 4);
	assert_int_equal(s.usage.cached, COUNT_NONE);
	s = expect("data: {\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n",
		   "usage({\"prompt_tokens\":7,\"completion_tokens\":3})=3 ");
	assert_int_equal(s.usage.prompt, 7);
}

static void legal_framing(void **state)
{
#define J(x) "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" x "\"},\"finish_reason\":null}]}"
	(void)state;
	expect("data:" J("A") "\n\n" "data: " J("B") "\r\n\r\n"
	       "event: message\r\ndata: {\"id\":\"r\",\r\ndata: \"choices\":[{\"index\":0,\"delta\":{\"content\":\"C\"}}]}\r\n\r\n"
	       "data: " J("D") "\n\r\n" "data: " J("E") "\r\n\n" "data: " J("F") "\n\n" "data:" J("G") "\r\r"
	       "data:[DONE]\r\n\r\n",
	       "content(A) content(B) content(C) content(D) content(E) content(F) content(G) done ");
	expect("\xef\xbb\xbf" "data: " J("A") "\n\n", "content(A) ");
}

static void comments_and_events_without_data(void **state)
{
	struct api_summary s;

	(void)state;
	s = expect(": OPENROUTER PROCESSING\n\n" ":\n\n" "retry: 3000\n\n" "event: ping\ndata:\n\n" "id: 7\n\n"
		   T("Hi") ": ping\n" T("!") F("stop") DONE,
		   "comment( OPENROUTER PROCESSING) comment() comment(retry: 3000) empty comment(id: 7) "
		   "content(Hi) comment( ping) content(!) finish(stop) done ");
	assert_false(s.error);
}

static void errors_inside_a_stream(void **state)
{
	struct api_summary s;

	(void)state;
	s = expect(T("a") "data: {\"error\":{\"message\":\"engine stopped\",\"code\":500}}\n\n" DONE,
		   "content(a) error({\"error\":{\"message\":\"engine stopped\",\"code\":500}}) done ");
	assert_true(s.error && s.done);
	assert_int_equal(s.error_code, 500);
	s = expect("event: error\ndata: {\"error\":{\"code\":400,\"message\":\"bad request\"}}\n\n",
		   "error({\"error\":{\"code\":400,\"message\":\"bad request\"}}) ");
	assert_int_equal(s.error_code, 400);
	s = expect(T("a") "data: error: out of memory\n\n", "content(a) error(error: out of memory) ");
	assert_true(s.error);
	s = expect("data: {\"object\":\"error\",\"message\":\"no\",\"code\":\"404\"}\n\n",
		   "error({\"object\":\"error\",\"message\":\"no\",\"code\":\"404\"}) ");
	assert_int_equal(s.error_code, 404);
}

static void characters_cut_by_the_network(void **state)
{
	(void)state;
	expect(T("\xe4\xbd\xa0") T("\xf0\x9f\x99\x82"), "content(\xe4\xbd\xa0) content(\xf0\x9f\x99\x82) ");
	expect(T("a\xe2\x80\xa8" "b\xc2\x85" "c"), "content(a\xe2\x80\xa8" "b\xc2\x85" "c) ");
	expect(T("\\ufffd") T("\\ud83d") T("\\ud83d\\ude42") T("\\ud83dx"),
	       "content(\xef\xbf\xbd) content(\xef\xbf\xbd) content(\xf0\x9f\x99\x82) content(\xef\xbf\xbdx) ");
	expect(T("\\n\\\"\\\\\\/\\t"), "content(\n\"\\/\t) ");
}

static void tool_calls(void **state)
{
	(void)state;
	expect(D("{\"tool_calls\":[{\"index\":0,\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"get_time\",\"arguments\":\"\"}}]}")
	       D("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}},{\"index\":1,\"function\":{\"name\":\"b\"}}]}")
	       D("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\"}}]}") D("{\"tool_calls\":[]}") F("tool_calls"),
	       "tool({\"index\":0,\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"get_time\",\"arguments\":\"\"}}) "
	       "tool({\"index\":0,\"function\":{\"arguments\":\"{}\"}}) tool({\"index\":1,\"function\":{\"name\":\"b\"}})+ "
	       "empty empty finish(tool_calls) ");
	/* The id comes alone: no token, and not lost. */
	expect(D("{\"tool_calls\":[{\"index\":0,\"id\":\"k1\"}]}") D("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\"}}]}"),
	       "empty({\"index\":0,\"id\":\"k1\"}) tool({\"index\":0,\"function\":{\"name\":\"f\"}}) ");
}

static void one_delta_reads_as_a_document_parser_reads_it(void **state)
{
	(void)state;
	/* The model thinks before it answers, whatever the order of the keys. */
	expect(D("{\"content\":\"B\",\"reasoning\":\"A\",\"role\":\"assistant\"}"),
	       "role(assistant) reasoning(A)+ content(B)+ ");
	expect(D("{\"content\":\"a\",\"content\":\"b\"}"), "content(b) ");
	expect(D("{\"content\":\"a\",\"content\":null}"), "empty ");
	expect(D("{\"con\\u0074ent\":\"a\"}"), "content(a) ");
	expect(D("{\"con\\u00\":\"a\"}"), "error({\"id\":\"r\",\"object\":\"chat.completion.chunk\","
	       "\"created\":1900000000,\"model\":\"m\\/x\",\"choices\":[{\"index\":0,\"delta\":{\"con\\u00\":\"a\"},"
	       "\"finish_reason\":null}]}) ");
}

static void how_a_stream_may_end(void **state)
{
	(void)state;
	assert_true(expect(T("a") F("stop") "data: [DONE]\n", "content(a) finish(stop) done ").done);
	assert_true(expect(T("a") F("stop") "data: [DONE]", "content(a) finish(stop) done ").done);
	assert_false(expect(T("a") "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}}]}", "content(a) ").done);
	expect(DONE T("late"), "done other({\"id\":\"r\",\"object\":\"chat.completion.chunk\",\"created\":1900000000,"
	       "\"model\":\"m\\/x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"late\"},\"finish_reason\":null}]}) ");
}

static void several_choices(void **state)
{
	(void)state;
	expect(CHUNK("[{\"delta\":{\"content\":\"No\"},\"index\":1},{\"index\":0,\"delta\":{\"content\":\"Yes\"}}]", ""),
	       "content#1(No) content(Yes)+ ");
}

static void completions_have_text(void **state)
{
	static const char s[] = "data: {\"choices\":[{\"index\":0,\"text\":\"You\",\"logprobs\":null,\"finish_reason\":null}]}\n\n"
		"data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}],\"usage\":{\"completion_tokens\":1}}\n\n";

	(void)state;
	expect_n(s, strlen(s), API_COMPLETIONS, "content(You) finish(length)=1 ");
	assert_int_equal(api_of_path(str_of("/v1/chat/completions?key=1")), API_CHAT);
	assert_int_equal(api_of_path(str_of("/v1/completions/")), API_COMPLETIONS);
	assert_int_equal(api_of_path(str_of("/v1/models")), API_NONE);
}

static void bad_json_is_an_error(void **state)
{
	static const char *const bad[] = { "{", "{\"a\":}", "{\"a\":1,}", "[1,2", "{\"a\" 1}", "nul", "01", "\"\\q\"",
		"{\"a\":1}}", "\"\\u12\"", "{\"choices\":[{]}", "-", "1.", "1e", NULL };

	(void)state;
	for (int i = 0; bad[i]; i++) {
		char line[64], want[64];

		snprintf(line, sizeof(line), "data: %s\n\n", bad[i]);
		snprintf(want, sizeof(want), "error(%s) ", bad[i]);
		expect(line, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_and_empty_chunks_are_no_tokens),
		cmocka_unit_test(reasoning_has_its_own_class),
		cmocka_unit_test(usage_in_all_its_shapes),
		cmocka_unit_test(legal_framing),
		cmocka_unit_test(comments_and_events_without_data),
		cmocka_unit_test(errors_inside_a_stream),
		cmocka_unit_test(characters_cut_by_the_network),
		cmocka_unit_test(tool_calls),
		cmocka_unit_test(one_delta_reads_as_a_document_parser_reads_it),
		cmocka_unit_test(how_a_stream_may_end),
		cmocka_unit_test(several_choices),
		cmocka_unit_test(completions_have_text),
		cmocka_unit_test(bad_json_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
