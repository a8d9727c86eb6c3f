/* Recorded streams of real services, at every split: texts, counts and usage as the files say. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"

enum { STEP = 37 }; /* splits tried: every 37th, and byte by byte */

struct seen {
	int wire_events, calls;
	struct buf content, refusal;
};

static void note(void *arg, const struct event *e)
{
	struct seen *s = arg;

	s->wire_events += !(e->flags & EVF_PART);
	s->calls += e->cls == EV_TOOL;
	if (e->cls == EV_CONTENT)
		buf_add(&s->content, e->text.p, e->text.n);
	if (e->cls == EV_REFUSAL)
		buf_add(&s->refusal, e->text.p, e->text.n);
}

static const struct want {
	enum api_kind api;
	const char *file, *id, *content, *refusal, *finish;
	int wire_events, calls;
	int64_t prompt, completion, total, reasoning;
} wants[] = {
	{ API_CHAT, "openai_python_4cc50a61", "chatcmpl-ABfw3Oqj8RD0z6aJiiX37oTjV2HFh", "{\"", "", "length", 5, 0, 79, 1, 80, 0 },
	{ API_CHAT, "openai_python_173417d5", "chatcmpl-ABfw4IfQfCCrcuybFm41wJyxjbkz7", "",
	  "I'm sorry, I can't assist with that request.", "stop", 14, 0, 79, 11, 90, 0 },
	{ API_CHAT, "openai_python_2018feb6", "chatcmpl-ABfwERreu9s99xXsVuOWtIB2UOx62", "", "", "tool_calls", 11, 8, 44, 16, 60, 0 },
	{ API_RESPONSES, "llamacpp_responses", "resp_e3ZKWknXOlVBhIr861Hngxff5AL41Uyz", "ssssssss", "", "completed",
	  16, 0, 18, 8, 26, COUNT_NONE },
};

static size_t load(const char *name, char *out, size_t max)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/sse/%s.sse", top ? top : ".", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(out, 1, max, f);
	fclose(f);
	return n;
}

/* Two pieces, or single bytes where cut is 0. */
static void compare(const struct want *w, const char *p, size_t n, size_t cut)
{
	struct seen s = { 0, 0, { 0 }, { 0 } };
	struct api_summary sum;
	struct api *a;

	buf_init(&s.content, 4096);
	buf_init(&s.refusal, 4096);
	a = api_create(w->api, 1 << 20, note, &s);
	for (size_t i = 0, step; i < n; i += step) {
		step = cut == 0 ? 1 : i < cut ? cut : n - cut;
		assert_int_equal(api_feed(a, p + i, step, 1), 0);
	}
	api_end(a, 2);
	api_summary(a, &sum);
	assert_int_equal(s.wire_events, w->wire_events);
	assert_int_equal(s.calls, w->calls);
	assert_string_equal(buf_cstr(&s.content), w->content);
	assert_string_equal(buf_cstr(&s.refusal), w->refusal);
	assert_true(str_is(sum.id, w->id) && str_is(sum.finish_reason, w->finish));
	assert_true(sum.done && !sum.error && sum.finishes == 1);
	assert_int_equal(sum.usage.prompt, w->prompt);
	assert_int_equal(sum.usage.completion, w->completion);
	assert_int_equal(sum.usage.total, w->total);
	assert_int_equal(sum.usage.reasoning, w->reasoning);
	api_free(a);
	buf_release(&s.content);
	buf_release(&s.refusal);
}

static void recorded_streams(void **state)
{
	static char text[1 << 16];

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		size_t n = load(wants[i].file, text, sizeof(text));

		for (size_t cut = 0; cut < n; cut += STEP)
			compare(&wants[i], text, n, cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(recorded_streams) };

	return cmocka_run_group_tests_name("transcripts", tests, NULL, NULL);
}
