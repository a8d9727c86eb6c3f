/* How the answer of each protocol is read by its content type, and how it may end. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "record/response.h"

#define SSE "text/event-stream"
#define LINES "application/x-ndjson"
#define JSON "application/json; charset=utf-8"

#define CHAT_A "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
#define CHAT_F "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define MSG_A "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
#define MSG_F "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n"
#define MSG_END "data: {\"type\":\"message_stop\"}\n\n"
#define RESP_A "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\n"
#define RESP_END "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
#define RESP_FAIL "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"x\",\"message\":\"boom\"}}}\n\n"
#define OLL_A "{\"message\":{\"content\":\"a\"},\"done\":false}\n"
#define OLL_END "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"
#define GEN_ONE "{\"response\":\"a\",\"done\":true,\"done_reason\":\"stop\"}"
#define MSG_ONE "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"stop_reason\":\"end_turn\"}"
#define RESP_ONE "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}]}"
#define CHAT_ONE "{\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"message\":{\"content\":\"a\"}}]}"
#define ERR_ONE "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"boom\"}}"

static const struct row {
	enum api_kind api;
	const char *type, *body;
	enum transfer_end end;
	enum status status;
	const char *kind, *finish, *text;
	bool marker;
} rows[] = {
	{ API_CHAT, SSE, CHAT_A CHAT_F "data: [DONE]\n\n", END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_CHAT, SSE, CHAT_A CHAT_F, END_CLEAN, ST_OK, NULL, "stop", "a", false },
	{ API_CHAT, SSE, CHAT_A, END_CLEAN, ST_TRUNCATED, "no_end", NULL, "a", false },
	{ API_CHAT, JSON, CHAT_ONE, END_CLEAN, ST_OK, NULL, "stop", "a", false },
	{ API_CHAT, "", CHAT_ONE, END_CLEAN, ST_OK, NULL, "stop", "a", false },
	{ API_MESSAGES, SSE, MSG_A MSG_F MSG_END, END_CLEAN, ST_OK, NULL, "end_turn", "a", true },
	{ API_MESSAGES, SSE, MSG_A MSG_F MSG_END, END_CUT, ST_OK, NULL, "end_turn", "a", true },
	{ API_MESSAGES, SSE, MSG_A MSG_F, END_CLEAN, ST_TRUNCATED, "no_end", "end_turn", "a", false },
	{ API_MESSAGES, SSE, MSG_A MSG_F, END_CUT, ST_TRUNCATED, "cut", "end_turn", "a", false },
	{ API_MESSAGES, SSE, MSG_A "event: error\ndata: " ERR_ONE "\n\n", END_CLEAN, ST_ERROR, "in_band", NULL, "a", false },
	{ API_MESSAGES, JSON, MSG_ONE, END_CLEAN, ST_OK, NULL, "end_turn", "a", false },
	{ API_MESSAGES, JSON, MSG_ONE, END_CUT, ST_TRUNCATED, "cut", NULL, "", false },
	{ API_MESSAGES, JSON, ERR_ONE, END_CLEAN, ST_ERROR, "in_band", NULL, "", false },
	{ API_RESPONSES, SSE, RESP_A RESP_END, END_CLEAN, ST_OK, NULL, "completed", "a", true },
	{ API_RESPONSES, SSE, RESP_A RESP_END "data: [DONE]\n\n", END_CLEAN, ST_OK, NULL, "completed", "a", true },
	{ API_RESPONSES, SSE, RESP_A, END_CLEAN, ST_TRUNCATED, "no_end", NULL, "a", false },
	{ API_RESPONSES, SSE, RESP_A RESP_FAIL, END_CLEAN, ST_ERROR, "in_band", NULL, "a", false },
	{ API_RESPONSES, JSON, RESP_ONE, END_CLEAN, ST_OK, NULL, "completed", "a", false },
	{ API_OLLAMA_CHAT, LINES, OLL_A OLL_END, END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_CHAT, JSON, OLL_A OLL_END, END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_CHAT, "application/jsonl", OLL_A OLL_END, END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_CHAT, "", OLL_A OLL_END, END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_CHAT, SSE, "data: " OLL_A "\ndata: " OLL_END "\n", END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_CHAT, LINES, OLL_A, END_CLEAN, ST_TRUNCATED, "no_end", NULL, "a", false },
	{ API_OLLAMA_CHAT, LINES, OLL_A "{\"error\":\"boom\"}\n", END_CLEAN, ST_ERROR, "in_band", NULL, "a", false },
	{ API_OLLAMA_GENERATE, JSON, GEN_ONE, END_CLEAN, ST_OK, NULL, "stop", "a", true },
	{ API_OLLAMA_GENERATE, "text/html", "<html>", END_CLEAN, ST_ERROR, "not_stream", NULL, "", false },
};

static void content_of(const struct events *ev, struct buf *out)
{
	struct events_iter it = { 0 };
	struct event e;

	while (events_next(ev, &it, &e))
		if (e.cls == EV_CONTENT)
			buf_add(out, e.text.p, e.text.n);
}

static void same(struct str got, const char *want)
{
	assert_true(want ? str_is(got, want) : got.p == NULL);
}

static void one(const struct row *w, size_t step)
{
	struct response r;
	struct buf text;
	size_t n = strlen(w->body);

	buf_init(&text, 4096);
	assert_int_equal(response_init(&r, 1, w->api, false), 0);
	response_head(&r, 200, str_of(w->type), (struct str){ NULL, 0 }, 10);
	for (size_t i = 0; i < n; i += step)
		assert_int_equal(response_bytes(&r, w->body + i, n - i < step ? n - i : step, 20), 0);
	response_finish(&r, w->end, "closed", 30);
	assert_int_equal(r.rec.status, w->status);
	same(r.rec.error_kind, w->kind);
	same(r.rec.finish_reason, w->finish);
	assert_int_equal(r.rec.done_marker, w->marker);
	/* The end is the end marker's time where there is one. */
	assert_int_equal(r.rec.end_ns, w->marker ? 20 : 30);
	content_of(&r.rec.events, &text);
	assert_string_equal(buf_cstr(&text), w->text);
	buf_release(&text);
	response_release(&r);
}

static void answers_end_as_their_protocol_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("# %s, %s, row %zu\n", api_name(rows[i].api), rows[i].type, i);
		one(&rows[i], strlen(rows[i].body));
		one(&rows[i], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_end_as_their_protocol_says),
	};

	return cmocka_run_group_tests_name("response", tests, NULL, NULL);
}
