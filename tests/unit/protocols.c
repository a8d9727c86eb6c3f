/*
 * The other protocols on the wire: OpenAI Responses, Anthropic Messages, Ollama.  Streams
 * as their public documentation shows them, at every split.
 */
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

/* "a b c(text)=cum+ ": class, text, cumulative count, + for a part of the event before. */
static void note(void *arg, const struct event *e)
{
	struct buf *b = arg;

	buf_printf(b, "%s", event_class_name(e->cls));
	if (e->text.p)
		buf_printf(b, "(%.*s)", (int)e->text.n, e->text.p);
	if (e->cum_tokens != COUNT_NONE)
		buf_printf(b, "=%d", (int)e->cum_tokens);
	if (e->flags & EVF_PART)
		buf_adds(b, "+");
	buf_adds(b, " ");
}

struct said {
	struct api *a; /* owns the strings of sum */
	struct api_summary sum;
};

static struct said read_at(enum api_kind k, const char *s, size_t cut, struct buf *out)
{
	struct said r = { api_create(k, 1 << 20, note, out), { 0 } };
	size_t n = strlen(s);

	buf_clear(out);
	for (size_t i = 0, step; i < n; i += step) {
		step = cut == 0 ? 1 : i < cut ? cut : n - cut;
		assert_int_equal(api_feed(r.a, s + i, step, 1), 0);
	}
	api_end(r.a, 2);
	api_summary(r.a, &r.sum);
	return r;
}

/* In two pieces at every place, and byte by byte; the caller frees .a. */
static struct said expect(enum api_kind k, const char *s, const char *want)
{
	struct said r;
	struct buf out;

	buf_init(&out, 1 << 20);
	for (size_t cut = 1; cut <= strlen(s); cut++) {
		r = read_at(k, s, cut, &out);
		assert_string_equal(buf_cstr(&out), want);
		api_free(r.a);
	}
	r = read_at(k, s, 0, &out);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
	return r;
}

static struct said expect_whole(enum api_kind k, const char *s, const char *want)
{
	struct said r;
	struct buf out;

	buf_init(&out, 1 << 20);
	r.a = api_create(k, 1 << 20, note, &out);
	api_feed_json(r.a, s, strlen(s), 1);
	api_summary(r.a, &r.sum);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
	return r;
}

#define EV(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"

#define LINE(rest) "{\"model\":\"l:1\",\"created_at\":\"2026-01-01T00:00:00Z\"," rest "}\n"
#define SAY(t) LINE("\"message\":{\"role\":\"assistant\",\"content\":\"" t "\"},\"done\":false")
#define LAST "{\"model\":\"l:1\",\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":26,\"eval_count\":2}"

#define MSG_START EV("message_start", ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\"," \
	"\"content\":[],\"model\":\"c-1\",\"stop_reason\":null,\"usage\":{\"input_tokens\":20,\"cache_creation_input_tokens\":4," \
	"\"cache_read_input_tokens\":100,\"output_tokens\":1}}")
#define MSG_TEXT(i, t) EV("content_block_delta", ",\"index\":" #i ",\"delta\":{\"type\":\"text_delta\",\"text\":\"" t "\"}")
#define MSG_DELTA(r, n) EV("message_delta", ",\"delta\":{\"stop_reason\":\"" r "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":" #n "}")
#define MSG_STOP EV("message_stop", "")

static void messages_text(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_MESSAGES,
		   MSG_START EV("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
		   EV("ping", "") MSG_TEXT(0, "Hel") MSG_TEXT(0, "lo \\u00e9") EV("content_block_stop", ",\"index\":0")
		   MSG_DELTA("end_turn", 15) MSG_STOP,
		   "role(assistant) empty(content_block_start) empty(ping) content(Hel) content(lo \xc3\xa9) "
		   "empty(content_block_stop) finish(end_turn)=15 usage({\"output_tokens\":15})=15+ done ");
	assert_true(r.sum.done && !r.sum.error);
	assert_true(str_is(r.sum.finish_reason, "end_turn"));
	assert_true(str_is(r.sum.model, "c-1"));
	assert_true(str_is(r.sum.id, "msg_1"));
	/* The prompt is what was read, written to the cache, and taken from it. */
	assert_int_equal(r.sum.usage.prompt, 124);
	assert_int_equal(r.sum.usage.cached, 100);
	assert_int_equal(r.sum.usage.completion, 15);
	assert_int_equal(r.sum.done_ns, 1);
	api_free(r.a);
}

static void messages_thinking_and_tools(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_MESSAGES,
		   EV("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Let\"}")
		   EV("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Eq\"}")
		   EV("content_block_start", ",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"tu_1\",\"name\":\"get\",\"input\":{}}")
		   EV("content_block_delta", ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}")
		   EV("content_block_delta", ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}")
		   EV("content_block_delta", ",\"index\":2,\"delta\":{\"type\":\"new_delta\",\"x\":1}"),
		   "reasoning(Let) other({\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Eq\"}}) "
		   "tool({\"index\":0,\"id\":\"tu_1\",\"type\":\"function\",\"function\":{\"name\":\"get\",\"arguments\":\"\"}}) "
		   "empty(content_block_delta) tool({\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":1}\"}}) "
		   "other({\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"new_delta\",\"x\":1}}) ");
	assert_false(r.sum.done);
	api_free(r.a);
}

static void messages_end_and_errors(void **state)
{
	struct said r;

	(void)state;
	/* A stop reason is no end: message_stop is missing. */
	r = expect(API_MESSAGES, MSG_DELTA("max_tokens", 7), "finish(max_tokens)=7 usage({\"output_tokens\":7})=7+ ");
	assert_false(r.sum.done);
	assert_int_equal(r.sum.finishes, 1);
	api_free(r.a);
	r = expect(API_MESSAGES, MSG_TEXT(0, "a") "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
		   "content(a) error({\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}) ");
	assert_true(r.sum.error && str_is(r.sum.error_text, "Overloaded"));
	api_free(r.a);
	/* Of a stream that was cut no output count is known: that of message_start is none. */
	r = expect(API_MESSAGES, MSG_START MSG_TEXT(0, "a"), "role(assistant) content(a) ");
	assert_int_equal(r.sum.usage.completion, COUNT_NONE);
	assert_int_equal(r.sum.usage.prompt, 124);
	api_free(r.a);
	r = expect(API_MESSAGES, "data: {\"type\":\"content_block_delta\",\n\n", "error({\"type\":\"content_block_delta\",) ");
	api_free(r.a);
}

/* The last event counts although no empty line, or no line end at all, came behind it; no other does. */
static void last_event_of_an_open_block(void **state)
{
	static const char *const ends[] = { "", "\n" };
	char stream[256];
	struct said r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(stream, sizeof(stream), "event: message_stop\ndata: {\"type\":\"message_stop\"}%s", ends[i]);
		r = expect(API_MESSAGES, stream, "done ");
		assert_true(r.sum.done);
		api_free(r.a);
		snprintf(stream, sizeof(stream), "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}%s", ends[i]);
		r = expect(API_RESPONSES, stream, "finish(completed) done+ ");
		assert_true(r.sum.done);
		api_free(r.a);
		snprintf(stream, sizeof(stream), "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}%s", ends[i]);
		r = expect(API_RESPONSES, stream, "");
		assert_false(r.sum.done);
		api_free(r.a);
	}
	r = expect(API_MESSAGES, "data: {\"type\":\"message_stop\"", "");
	assert_false(r.sum.done);
	api_free(r.a);
}

/* Counts come with message_start, with message_delta, or with both; the later one counts. */
static void messages_counts(void **state)
{
	struct said r;
	static const char usage[] = "usage({\"input_tokens\":12,\"cache_creation_input_tokens\":4,\"cache_read_input_tokens\":3,"
		"\"output_tokens\":6,\"output_tokens_details\":{\"thinking_tokens\":2}})=6+ ";
	char want[512];

	(void)state;
	snprintf(want, sizeof(want), "role(assistant) finish(refusal)=6 %s", usage);
	r = expect(API_MESSAGES,
		   MSG_START EV("message_delta", ",\"delta\":{\"stop_reason\":\"refusal\"},\"usage\":{\"input_tokens\":12,"
		   "\"cache_creation_input_tokens\":4,\"cache_read_input_tokens\":3,\"output_tokens\":6,"
		   "\"output_tokens_details\":{\"thinking_tokens\":2}}"), want);
	assert_int_equal(r.sum.usage.prompt, 19);
	assert_int_equal(r.sum.usage.cached, 3);
	assert_int_equal(r.sum.usage.completion, 6);
	assert_int_equal(r.sum.usage.reasoning, 2);
	api_free(r.a);
}

static void messages_whole(void **state)
{
	struct said r;

	(void)state;
	r = expect_whole(API_MESSAGES,
			 "{\"id\":\"msg_2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"c-1\",\"content\":["
			 "{\"type\":\"thinking\",\"thinking\":\"Hm\",\"signature\":\"x\"},{\"type\":\"text\",\"text\":\"Hi\"},"
			 "{\"type\":\"tool_use\",\"id\":\"tu_1\",\"name\":\"get\",\"input\":{\"a\":1}}],\"stop_reason\":\"tool_use\","
			 "\"usage\":{\"input_tokens\":9,\"output_tokens\":3}}",
			 "role(assistant)=3 reasoning(Hm)=3+ content(Hi)=3+ "
			 "tool({\"index\":0,\"id\":\"tu_1\",\"type\":\"function\",\"function\":{\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"}})=3+ "
			 "finish(tool_use)=3+ usage({\"input_tokens\":9,\"output_tokens\":3})=3+ ");
	assert_true(r.sum.done);
	assert_int_equal(r.sum.usage.prompt, 9);
	assert_int_equal(r.sum.usage.cached, COUNT_NONE);
	api_free(r.a);
	r = expect_whole(API_MESSAGES, "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}",
			 "error({\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}) ");
	assert_true(r.sum.error && !r.sum.done);
	api_free(r.a);
}

#define RESP_DELTA(kind, t) EV("response." kind ".delta", ",\"item_id\":\"i\",\"output_index\":1,\"delta\":\"" t "\"")

static void responses_text(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_RESPONSES,
		   EV("response.created", ",\"response\":{\"id\":\"resp_1\",\"status\":\"in_progress\"}")
		   EV("response.output_item.added", ",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}")
		   RESP_DELTA("reasoning_summary_text", "Let") RESP_DELTA("reasoning_text", " me")
		   EV("response.output_item.added", ",\"output_index\":1,\"item\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}")
		   RESP_DELTA("output_text", "4\\n2") RESP_DELTA("output_text", "") RESP_DELTA("refusal", "no")
		   EV("response.output_text.done", ",\"text\":\"42\"")
		   EV("response.completed", ",\"response\":{\"id\":\"resp_1\",\"model\":\"o\",\"status\":\"completed\",\"incomplete_details\":null,"
		      "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":3,"
		      "\"output_tokens_details\":{\"reasoning_tokens\":2},\"total_tokens\":12}}"),
		   "empty(response.created) empty(response.output_item.added) reasoning(Let) reasoning( me) role(assistant) "
		   "content(4\n2) empty(response.output_text.delta) refusal(no) empty(response.output_text.done) finish(completed)=3 "
		   "usage({\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":3,"
		   "\"output_tokens_details\":{\"reasoning_tokens\":2},\"total_tokens\":12})=3+ done=3+ ");
	assert_true(r.sum.done && str_is(r.sum.id, "resp_1") && str_is(r.sum.model, "o"));
	assert_int_equal(r.sum.usage.prompt, 9);
	assert_int_equal(r.sum.usage.cached, 4);
	assert_int_equal(r.sum.usage.reasoning, 2);
	assert_int_equal(r.sum.usage.completion, 3);
	api_free(r.a);
}

static void responses_tools_ends_and_errors(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_RESPONSES,
		   EV("response.output_item.added", ",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_9\",\"name\":\"get\",\"arguments\":\"\"}")
		   RESP_DELTA("function_call_arguments", "{\\\"a\\\":1}")
		   EV("response.incomplete", ",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}"),
		   "tool({\"index\":0,\"id\":\"call_9\",\"type\":\"function\",\"function\":{\"name\":\"get\",\"arguments\":\"\"}}) "
		   "tool({\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":1}\"}}) finish(max_output_tokens) done+ ");
	assert_true(r.sum.done);
	api_free(r.a);
	r = expect(API_RESPONSES, EV("response.failed", ",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"boom\"}}"),
		   "error({\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"boom\"}}) ");
	assert_true(r.sum.error && str_is(r.sum.error_text, "boom") && !r.sum.done);
	api_free(r.a);
	r = expect(API_RESPONSES, EV("error", ",\"code\":\"429\",\"message\":\"slow down\""),
		   "error({\"type\":\"error\",\"code\":\"429\",\"message\":\"slow down\"}) ");
	assert_int_equal(r.sum.error_code, 429);
	api_free(r.a);
	r = expect(API_RESPONSES, "data: {\"type\":\"vendor.thing\",\"x\":1}\n\n", "other({\"type\":\"vendor.thing\",\"x\":1}) ");
	assert_false(r.sum.done);
	api_free(r.a);
}

/* llama.cpp says no output_index; a call is then the one that began last. */
static void responses_calls_without_index(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_RESPONSES,
		   EV("response.output_item.added", ",\"item\":{\"type\":\"function_call\",\"call_id\":\"fc_1\",\"name\":\"a\",\"arguments\":\"\"}")
		   EV("response.function_call_arguments.delta", ",\"item_id\":\"fc_1\",\"delta\":\"{\"")
		   EV("response.output_item.added", ",\"item\":{\"type\":\"function_call\",\"call_id\":\"fc_2\",\"name\":\"b\",\"arguments\":\"\"}")
		   EV("response.function_call_arguments.delta", ",\"item_id\":\"fc_2\",\"delta\":\"[\""),
		   "tool({\"index\":0,\"id\":\"fc_1\",\"type\":\"function\",\"function\":{\"name\":\"a\",\"arguments\":\"\"}}) "
		   "tool({\"index\":0,\"function\":{\"arguments\":\"{\"}}) "
		   "tool({\"index\":1,\"id\":\"fc_2\",\"type\":\"function\",\"function\":{\"name\":\"b\",\"arguments\":\"\"}}) "
		   "tool({\"index\":1,\"function\":{\"arguments\":\"[\"}}) ");
	api_free(r.a);
}

/* Two calls side by side are told apart by their place. */
static void responses_calls_interleaved(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_RESPONSES,
		   EV("response.output_item.added", ",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"p\",\"name\":\"a\"}")
		   EV("response.output_item.added", ",\"output_index\":5,\"item\":{\"type\":\"function_call\",\"call_id\":\"q\",\"name\":\"b\"}")
		   EV("response.function_call_arguments.delta", ",\"output_index\":2,\"delta\":\"1\"")
		   EV("response.function_call_arguments.delta", ",\"output_index\":5,\"delta\":\"2\""),
		   "tool({\"index\":0,\"id\":\"p\",\"type\":\"function\",\"function\":{\"name\":\"a\",\"arguments\":\"\"}}) "
		   "tool({\"index\":1,\"id\":\"q\",\"type\":\"function\",\"function\":{\"name\":\"b\",\"arguments\":\"\"}}) "
		   "tool({\"index\":0,\"function\":{\"arguments\":\"1\"}}) tool({\"index\":1,\"function\":{\"arguments\":\"2\"}}) ");
	api_free(r.a);
}

/* Nothing that is not understood is dropped, whatever its type begins with. */
static void unknown_events_are_kept(void **state)
{
	static const struct {
		enum api_kind kind;
		const char *data;
	} t[] = {
		{ API_RESPONSES, "{\"type\":\"response.image_generation_call.partial_image\",\"partial_image_b64\":\"QQ==\"}" },
		{ API_RESPONSES, "{\"type\":\"response.output_text.annotation.added\",\"annotation\":{\"url\":\"u\"}}" },
		{ API_RESPONSES, "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"gA\"}}" },
		{ API_RESPONSES, "{\"type\":\"response.output_item.added\",\"item\":{\"type\":\"web_search_call\",\"id\":\"w\"}}" },
		{ API_RESPONSES, "{\"x\":1}" },
		{ API_MESSAGES, "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"Em\"}}" },
		{ API_MESSAGES, "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"citations_delta\",\"citation\":{}}}" },
		{ API_MESSAGES, "{\"type\":\"vendor\",\"x\":1}" },
		{ API_OLLAMA_CHAT, "{\"status\":\"loading\"}" },
		{ API_OLLAMA_GENERATE, "{\"status\":\"loading\"}" },
	};
	char stream[512], want[512];

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		bool lines = api_framing(t[i].kind) == FRAMING_JSON;
		struct said r;

		snprintf(stream, sizeof(stream), lines ? "%s\n" : "data: %s\n\n", t[i].data);
		snprintf(want, sizeof(want), "other(%s) ", t[i].data);
		r = expect(t[i].kind, stream, want);
		assert_false(r.sum.error || r.sum.done);
		api_free(r.a);
	}
}

/* An engine may generate bytes that are no UTF-8, or half of a surrogate pair: the end still says what it says. */
static void broken_text_in_the_last_event(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_RESPONSES,
		   EV("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":"
		      "[{\"type\":\"output_text\",\"text\":\"\xff \\ud83d\"}]}],\"usage\":{\"input_tokens\":9,\"output_tokens\":3}}"),
		   "finish(completed)=3 usage({\"input_tokens\":9,\"output_tokens\":3})=3+ done=3+ ");
	assert_int_equal(r.sum.usage.completion, 3);
	api_free(r.a);
	r = expect_whole(API_MESSAGES, "{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\"}],\"stop_reason\":\"end_turn\"}",
			 "content(a\xff) finish(end_turn)+ ");
	assert_true(r.sum.done);
	api_free(r.a);
}

/* Arguments are the bytes that the engine made of them, numbers too. */
static void arguments_stay_as_they_are(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_OLLAMA_CHAT,
		   LINE("\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"x\": 0.1}}}]},\"done\":false"),
		   "tool({\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\": 0.1}\"}}) ");
	api_free(r.a);
	r = expect_whole(API_MESSAGES, "{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"x\": 0.1}}]}",
			 "tool({\"index\":0,\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\": 0.1}\"}}) ");
	api_free(r.a);
	r = expect_whole(API_MESSAGES, "{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}]}",
			 "tool({\"index\":0,\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}) ");
	api_free(r.a);
}

/* The reason comes last and thinking first, whatever the order of the keys; the same thinking twice is one. */
static void whole_chat(void **state)
{
	struct said r;

	(void)state;
	r = expect_whole(API_CHAT,
			 "{\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"message\":{\"content\":\"Hi\",\"reasoning\":\"Hm\","
			 "\"reasoning_content\":\"Hm\",\"role\":\"assistant\"}},{\"index\":1,\"message\":{\"content\":null,"
			 "\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}],"
			 "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}",
			 "role(assistant)=3 reasoning(Hm)=3+ content(Hi)=3+ finish(stop)=3+ "
			 "tool({\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}})=3+ "
			 "usage({\"prompt_tokens\":9,\"completion_tokens\":3})=3+ ");
	assert_true(r.sum.done && str_is(r.sum.finish_reason, "stop"));
	api_free(r.a);
	r = expect_whole(API_COMPLETIONS, "{\"choices\":[{\"finish_reason\":\"length\",\"text\":\"a\xff\"}]}", "content(a\xff) finish(length)+ ");
	api_free(r.a);
}

static void responses_whole(void **state)
{
	struct said r;

	(void)state;
	r = expect_whole(API_RESPONSES,
			 "{\"id\":\"resp_1\",\"model\":\"o\",\"status\":\"completed\",\"error\":null,\"output\":["
			 "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"Hm\"}]},"
			 "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},"
			 "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]}],"
			 "\"usage\":{\"input_tokens\":9,\"output_tokens\":3}}",
			 "reasoning(Hm)=3 tool({\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}})=3+ "
			 "role(assistant)=3+ content(Hi)=3+ finish(completed)=3+ usage({\"input_tokens\":9,\"output_tokens\":3})=3+ ");
	assert_true(r.sum.done && str_is(r.sum.id, "resp_1"));
	api_free(r.a);
}

static void ollama_chat(void **state)
{
	struct said r;

	(void)state;
	r = expect(API_OLLAMA_CHAT,
		   LINE("\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Hm\"},\"done\":false") SAY("H\\u00e9}\\\"") SAY("")
		   "\r\n" LAST "\n",
		   "role(assistant) reasoning(Hm)+ content(H\xc3\xa9}\") empty finish(stop)=2 usage(" LAST ")=2+ done=2+ ");
	assert_true(r.sum.done && str_is(r.sum.model, "l:1"));
	assert_int_equal(r.sum.usage.prompt, 26);
	assert_int_equal(r.sum.usage.completion, 2);
	api_free(r.a);
	r = expect(API_OLLAMA_CHAT,
		   LINE("\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"get\",\"arguments\":{\"a\":1}}},"
			"{\"id\":\"x\",\"function\":{\"index\":4,\"name\":\"put\",\"arguments\":{}}}]},\"done\":false"),
		   "role(assistant) tool({\"index\":0,\"function\":{\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"}})+ "
		   "tool({\"index\":1,\"id\":\"x\",\"type\":\"function\",\"function\":{\"name\":\"put\",\"arguments\":\"{}\"}})+ ");
	api_free(r.a);
}

static void ollama_generate_and_faults(void **state)
{
	struct said r;

	(void)state;
	/* The last value needs no line feed, and a pretty-printed one may have many. */
	r = expect(API_OLLAMA_GENERATE,
		   "{\"model\":\"l\",\"response\":\"The\",\"done\":false}\n{\n \"model\": \"l\",\n \"response\": \" sky\",\n \"done\": true,\n"
		   " \"done_reason\": \"length\"\n}",
		   "content(The) content( sky) finish(length)+ done+ ");
	assert_true(r.sum.done);
	api_free(r.a);
	r = expect(API_OLLAMA_CHAT, SAY("a") "{\"error\":\"out of memory\"}\n", "role(assistant) content(a)+ error({\"error\":\"out of memory\"}) ");
	assert_true(r.sum.error && str_is(r.sum.error_text, "out of memory") && !r.sum.done);
	api_free(r.a);
	/* A broken line is one fault; the next one is read again. */
	r = expect(API_OLLAMA_CHAT, "oops\n{\"done\":true}\n", "error(oops) done ");
	api_free(r.a);
	/* Half a value is no event. */
	r = expect(API_OLLAMA_CHAT, SAY("a") "{\"model\":\"l\",\"mess", "role(assistant) content(a)+ ");
	assert_false(r.sum.done);
	api_free(r.a);
	/* One object alone, as when the request said "stream":false. */
	r = expect(API_OLLAMA_CHAT, "{\"model\":\"l\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"done\":true,\"eval_count\":3}",
		   "role(assistant) content(Hi)+ usage({\"model\":\"l\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},"
		   "\"done\":true,\"eval_count\":3})=3+ done=3+ ");
	api_free(r.a);
}

static void an_event_past_its_ceiling_is_refused(void **state)
{
	struct buf out;
	struct api *a;
	char line[256];

	(void)state;
	buf_init(&out, 1 << 20);
	memset(line, 'x', sizeof(line));
	memcpy(line, "{\"a\":\"", 6);
	a = api_create(API_OLLAMA_CHAT, 100, note, &out);
	assert_int_equal(api_feed(a, line, sizeof(line), 1), -1);
	api_free(a);
	buf_release(&out);
}

static void paths_choose(void **state)
{
	static const struct {
		const char *path;
		enum api_kind want;
	} t[] = {
		{ "/v1/chat/completions", API_CHAT }, { "/v1/completions?x=/api/chat", API_COMPLETIONS },
		{ "/v1/responses", API_RESPONSES }, { "/v1/responses/resp_1", API_NONE },
		{ "/v1/threads/t_1/messages", API_NONE },
		{ "/v1/messages", API_MESSAGES }, { "/v1/messages/count_tokens", API_NONE },
		{ "/api/chat", API_OLLAMA_CHAT }, { "/api/generate/", API_OLLAMA_GENERATE },
		{ "/openai/deployments/d/chat/completions?api-version=1", API_CHAT },
		{ "/api/tags", API_NONE }, { "/", API_NONE }, { "", API_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		assert_int_equal(api_of_path(str_of(t[i].path)), t[i].want);
	for (int k = API_CHAT; k <= API_OLLAMA_GENERATE; k++)
		assert_int_equal(api_of_name(str_of(api_name((enum api_kind)k))), k);
	assert_int_equal(api_of_name(str_of("none")), API_NONE);
}

static void requests_say_their_limits(void **state)
{
	static const struct {
		enum api_kind kind;
		const char *body;
		bool stream;
		int64_t max;
	} t[] = {
		{ API_CHAT, "{\"max_tokens\":5,\"max_completion_tokens\":6,\"stream\":true}", true, 6 },
		{ API_CHAT, "{\"max_output_tokens\":5}", false, COUNT_NONE },
		{ API_RESPONSES, "{\"max_output_tokens\":5,\"max_tokens\":7}", false, 5 },
		{ API_MESSAGES, "{\"max_tokens\":5,\"stream\":true}", true, 5 },
		{ API_OLLAMA_CHAT, "{\"options\":{\"num_predict\":5}}", true, 5 },
		{ API_OLLAMA_GENERATE, "{\"stream\":false,\"options\":{\"num_predict\":-1}}", false, COUNT_NONE },
		{ API_OLLAMA_GENERATE, "{\"num_predict\":4}", true, COUNT_NONE },
	};
	struct api_request q;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		assert_int_equal(api_request_parse(t[i].kind, str_of(t[i].body), &q, &e), 0);
		assert_int_equal(q.stream, t[i].stream);
		assert_int_equal(q.max_tokens, t[i].max);
		api_request_release(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_text),
		cmocka_unit_test(messages_thinking_and_tools),
		cmocka_unit_test(messages_end_and_errors),
		cmocka_unit_test(last_event_of_an_open_block),
		cmocka_unit_test(messages_counts),
		cmocka_unit_test(messages_whole),
		cmocka_unit_test(responses_text),
		cmocka_unit_test(responses_tools_ends_and_errors),
		cmocka_unit_test(responses_calls_without_index),
		cmocka_unit_test(responses_calls_interleaved),
		cmocka_unit_test(unknown_events_are_kept),
		cmocka_unit_test(broken_text_in_the_last_event),
		cmocka_unit_test(arguments_stay_as_they_are),
		cmocka_unit_test(whole_chat),
		cmocka_unit_test(responses_whole),
		cmocka_unit_test(ollama_chat),
		cmocka_unit_test(ollama_generate_and_faults),
		cmocka_unit_test(an_event_past_its_ceiling_is_refused),
		cmocka_unit_test(paths_choose),
		cmocka_unit_test(requests_say_their_limits),
	};

	return cmocka_run_group_tests_name("protocols", tests, NULL, NULL);
}
