/* redact: the rules' grammar and their mistakes, documents, and the events of all protocols. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/hide.h"
#include "record/redact.h"

static struct redact *rules(const char *rule)
{
	struct redact *r = redact_create();
	struct err e;

	assert_non_null(r);
	if (redact_add(r, rule, &e) < 0)
		fail_msg("%s", e.msg);
	return r;
}

static void becomes(const char *rule, const char *doc, const char *want)
{
	struct redact *r = rules(rule);
	struct buf out;

	buf_init(&out, 1 << 20);
	if (!want)
		assert_int_equal(redact_json(r, "", str_of(doc), &out), REDACT_UNREADABLE);
	else if (strcmp(doc, want) == 0)
		assert_int_equal(redact_json(r, "", str_of(doc), &out), REDACT_NOTHING);
	else {
		assert_int_equal(redact_json(r, "", str_of(doc), &out), REDACT_CHANGED);
		assert_string_equal(buf_cstr(&out), want);
	}
	buf_release(&out);
	redact_free(r);
}

static void documents(void **state)
{
	(void)state;
	becomes("user", "{\"user\": \"u\", \"a\": 1}", "{\"user\":\"<redacted>\",\"a\":1}");
	becomes("user", "{\"a\" : {\"user\":\"u\"}}", "{\"a\" : {\"user\":\"u\"}}");
	becomes("metadata.*", "{\"metadata\":{\"a\":1,\"b\":[2],\"c\":null}}",
		"{\"metadata\":{\"a\":\"<redacted>\",\"b\":\"<redacted>\",\"c\":null}}");
	becomes("messages[].content", "{\"messages\":[{\"content\":\"x\"},{\"content\":[{\"text\":\"y\"}]},{}]}",
		"{\"messages\":[{\"content\":\"<redacted>\"},{\"content\":\"<redacted>\"},{}]}");
	becomes("messages[1].content", "{\"messages\":[{\"content\":\"x\"},{\"content\":\"y\"}]}",
		"{\"messages\":[{\"content\":\"x\"},{\"content\":\"<redacted>\"}]}");
	becomes("**.email", "{\"email\":1,\"a\":[{\"b\":{\"email\":2}}]}",
		"{\"email\":\"<redacted>\",\"a\":[{\"b\":{\"email\":\"<redacted>\"}}]}");
	becomes("a.**.c", "{\"c\":0,\"a\":{\"c\":1,\"b\":{\"c\":2}}}",
		"{\"c\":0,\"a\":{\"c\":\"<redacted>\",\"b\":{\"c\":\"<redacted>\"}}}");
	becomes("a[\"b.c\"]", "{\"a\":{\"b.c\":1,\"b\":{\"c\":2}}}", "{\"a\":{\"b.c\":\"<redacted>\",\"b\":{\"c\":2}}}");
	becomes("**.*", "{\"a\":{\"b\":1},\"c\":2}", "{\"a\":\"<redacted>\",\"c\":\"<redacted>\"}");
}

static void strings_that_are_documents(void **state)
{
	(void)state;
	becomes("t[].function.arguments.city", "{\"t\":[{\"function\":{\"arguments\":\"{\\\"city\\\":\\\"Ulm\\\",\\\"n\\\":1}\"}}]}",
		"{\"t\":[{\"function\":{\"arguments\":\"{\\\"city\\\":\\\"<redacted>\\\",\\\"n\\\":1}\"}}]}");
	becomes("**.city", "{\"a\":\" [{\\\"city\\\":\\\"Ulm\\\"}]\"}", "{\"a\":\"[{\\\"city\\\":\\\"<redacted>\\\"}]\"}");
	becomes("**.city", "{\"a\":\"{\\\"city\\\": broken\"}", "{\"a\":\"{\\\"city\\\": broken\"}");
}

static void what_cannot_be_read(void **state)
{
	(void)state;
	becomes("user", "not json", NULL);
	becomes("user", "", NULL);
	/* The first of two would pass unseen. */
	becomes("user", "{\"user\":\"u\",\"a\":{\"b\":1,\"b\":2}}", NULL);
	becomes("a", "{\"b\":", NULL);
}

static void mistake(const char *rule, const char *want)
{
	struct redact *r = redact_create();
	struct err e = { "" };

	assert_int_equal(redact_add(r, rule, &e), -1);
	if (!strstr(e.msg, want))
		fail_msg("%s: %s", rule, e.msg);
	assert_false(redact_any(r));
	redact_free(r);
}

static void mistakes(void **state)
{
	(void)state;
	mistake("", "rules look like");
	mistake("messages[*].content", "did you mean 'messages[].content'?");
	mistake("$.user", "did you mean 'user'?");
	mistake("$..email", "did you mean '**.email'?");
	mistake(".user", "did you mean 'user'?");
	mistake("/metadata/email", "did you mean 'metadata.email'?");
	mistake("messages.[].content", "did you mean 'messages[].content'?");
	mistake("a['b.c']", "did you mean 'a[\"b.c\"]'?");
	mistake("user.", "did you mean 'user'?");
	mistake("metadata.**", "did you mean 'metadata.**.*'?");
	mistake("a[x]", "at character 2");
	mistake("a b", "did you mean 'ab'?");
}

static void files(void **state)
{
	struct redact *r = redact_create();
	char path[] = "redact-rules.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct err e;

	(void)state;
	fputs("# people\n\n  user  \n**.email\r\n", f);
	fclose(f);
	assert_int_equal(redact_add_file(r, path, &e), 0);
	assert_true(redact_covers(r, "user") && redact_covers(r, "a.b[].email") && !redact_covers(r, "a"));
	f = fopen(path, "w");
	fputs("user\n$.x\n", f);
	fclose(f);
	assert_int_equal(redact_add_file(r, path, &e), -1);
	assert_non_null(strstr(e.msg, "line 2: "));
	unlink(path);
	assert_int_equal(redact_add_file(r, path, &e), -1);
	redact_free(r);
}

static void places(void **state)
{
	struct redact *r = rules("choices[].delta.tool_calls[].function.arguments.a");

	(void)state;
	assert_true(redact_enters(r, "choices[].delta.tool_calls[].function.arguments"));
	assert_false(redact_covers(r, "choices[].delta.tool_calls[].function.arguments"));
	assert_false(redact_enters(r, "choices[].delta.content"));
	redact_free(r);
	r = rules("choices[0].delta");
	assert_true(redact_covers(r, "choices[].delta.content"));
	redact_free(r);
}

/* One event of a class through the rule; failed: the request was redacted. */
static void event_becomes(enum api_kind api, const char *rule, enum event_class cls, const char *text, const char *want)
{
	struct redact *r = rules(rule);
	struct hide *h = hide_create(false, r);
	struct record rec;
	struct hidden store;
	struct events ev;
	struct events_iter it = { 0 };
	struct event e = { .cls = cls, .cum_tokens = 0, .text = str_of(text), .text_len = strlen(text) };

	record_init(&rec, REC_RESPONSE);
	events_init(&ev, true, 1 << 16);
	assert_int_equal(events_add(&ev, &e), 0);
	rec.u.response.events = ev;
	hide_response(h, api, false, &rec.u.response, &store);
	assert_true(events_next(&rec.u.response.events, &it, &e));
	assert_int_equal(e.text.n, strlen(want));
	assert_memory_equal(e.text.p, want, e.text.n);
	assert_int_equal(rec.u.response.redacted, strcmp(text, want) != 0);
	hidden_release(&store);
	events_release(&ev);
	hide_free(h);
	redact_free(r);
}

static void events(void **state)
{
	const char *piece = "{\"index\":0,\"function\":{\"arguments\":\"{\\\"ci\"}}", *gone = "{\"index\":0,\"function\":{\"arguments\":\"<redacted>\"}}",
		*call = "{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"city\\\":\\\"Ulm\\\"}\"}}",
		*part = "{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"city\\\":\\\"<redacted>\\\"}\"}}";

	(void)state;
	event_becomes(API_CHAT, "choices[].delta.content", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_CHAT, "choices[].message.content", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_CHAT, "**.content", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_CHAT, "user", EV_CONTENT, "x", "x");
	event_becomes(API_COMPLETIONS, "choices[].text", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_RESPONSES, "output[].content[].text", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_MESSAGES, "content[].text", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_MESSAGES, "content[].text", EV_REASONING, "x", "x");
	event_becomes(API_OLLAMA_CHAT, "message.content", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_OLLAMA_GENERATE, "response", EV_CONTENT, "x", "<redacted>");
	event_becomes(API_CHAT, "**.city", EV_TOOL, piece, gone);
	event_becomes(API_CHAT, "**.city", EV_TOOL, call, part);
	event_becomes(API_CHAT, "choices[].message.tool_calls[].function.arguments.city", EV_TOOL, call, part);
	event_becomes(API_MESSAGES, "content[].input.city", EV_TOOL, call, part);
	event_becomes(API_MESSAGES, "content[].input.city", EV_TOOL, piece, gone);
	event_becomes(API_RESPONSES, "output[].arguments", EV_TOOL, piece, gone);
	event_becomes(API_OLLAMA_CHAT, "message.tool_calls[].function.arguments.city", EV_TOOL, call, part);
	event_becomes(API_CHAT, "user", EV_TOOL, piece, piece);
	event_becomes(API_CHAT, "user", EV_OTHER, "{\"user\":\"u\"}", "{\"user\":\"<redacted>\"}");
	event_becomes(API_RESPONSES, "user", EV_OTHER, "{\"response\":{\"user\":\"u\"}}", "{\"response\":{\"user\":\"<redacted>\"}}");
	event_becomes(API_CHAT, "user", EV_OTHER, "no json", "<redacted>");
	event_becomes(API_CHAT, "error.message", EV_ERROR, "{\"error\":{\"message\":\"m\"}}", "{\"error\":{\"message\":\"<redacted>\"}}");
	event_becomes(API_OLLAMA_GENERATE, "context", EV_USAGE, "{\"context\":[1],\"done\":true}", "{\"context\":\"<redacted>\",\"done\":true}");
	event_becomes(API_CHAT, "usage", EV_USAGE, "{\"prompt_tokens\":1}", "\"<redacted>\"");
}

/* What the engine says of an error may quote what was redacted. */
static void words_of_errors(void **state)
{
	struct redact *r = rules("messages[].content");
	struct hide *h = hide_create(false, r);
	struct record rec;
	struct hidden store;

	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		record_init(&rec, REC_RESPONSE);
		rec.u.response.last = true;
		rec.u.response.http_status = 400;
		rec.u.response.raw = str_of("{\"error\":\"bad 'my secret'\"}");
		rec.u.response.error_text = str_of("code 7: bad 'my secret'");
		hide_response(h, API_CHAT, asked, &rec.u.response, &store);
		assert_int_equal(rec.u.response.redacted, asked);
		assert_true(str_is(rec.u.response.error_text, asked ? "code 7" : "code 7: bad 'my secret'"));
		assert_int_equal(rec.u.response.raw.p != NULL, !asked);
		hidden_release(&store);
	}
	hide_free(h);
	redact_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents),
		cmocka_unit_test(strings_that_are_documents),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(files),
		cmocka_unit_test(places),
		cmocka_unit_test(events),
		cmocka_unit_test(words_of_errors),
	};

	return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
