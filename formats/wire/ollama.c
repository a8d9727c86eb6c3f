/*
 * Ollama /api/chat and /api/generate: one JSON object a line; the last one has "done":true
 * with the reason and the counts.  Not streamed, the answer is that one object alone.
 */
#include <config.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

static const struct str absent = { NULL, 0 };

/* What the one pass over a line finds; raw texts are borrowed from it. */
struct found {
	struct str model, role, content, thinking, tool_calls, reason;
	struct usage usage;
	bool done, error, known; /* known: it is a line of an answer */
};

static void scan_message(struct scan *s, struct found *f)
{
	struct str key;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		if (str_is(key, "role"))
			f->role = take_raw_string(s);
		else if (str_is(key, "content"))
			f->content = take_raw_string(s);
		else if (str_is(key, "thinking"))
			f->thinking = take_raw_string(s);
		else if (str_is(key, "tool_calls"))
			f->tool_calls = scan_raw(s);
		else
			scan_raw(s);
	}
}

static void member(struct scan *s, struct str key, struct found *f)
{
	f->known |= str_is(key, "message") || str_is(key, "response") || str_is(key, "done");
	if (str_is(key, "message"))
		scan_message(s, f);
	else if (str_is(key, "response"))
		f->content = take_raw_string(s);
	else if (str_is(key, "thinking"))
		f->thinking = take_raw_string(s);
	else if (str_is(key, "model"))
		f->model = take_raw_string(s);
	else if (str_is(key, "done_reason"))
		f->reason = take_raw_string(s);
	else if (str_is(key, "done"))
		f->done = str_is(scan_raw(s), "true");
	else if (str_is(key, "prompt_eval_count"))
		f->usage.prompt = take_count(s);
	else if (str_is(key, "eval_count"))
		f->usage.completion = take_count(s);
	else if (str_is(key, "error"))
		f->error = !str_is(scan_raw(s), "null");
	else
		scan_raw(s);
}

static int scan_line(struct str data, struct found *f)
{
	struct scan s = scan_of(data);
	struct str key;

	*f = (struct found){ .usage = USAGE_NONE };
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key))
		member(&s, key, f);
	return scan_at_end(&s) ? 0 : -1;
}

/* raw: between the quotes. */
static void emit_text(struct api *a, enum event_class cls, struct str raw)
{
	if (raw.n)
		emit(a, cls, 0, decoded(raw, &a->text));
}

/* A call is whole in one line; its arguments are an object here, elsewhere they are its JSON text. */
static void emit_one_call(struct api *a, struct str raw)
{
	struct str key, id = absent, name = absent, arguments = { "", 0 };
	struct scan s = scan_of(raw);
	struct buf b;

	if (scan_peek(&s) != SCAN_OBJECT)
		return;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "id")) {
			id = take_raw_string(&s);
			continue;
		}
		if (!str_is(key, "function") || scan_peek(&s) != SCAN_OBJECT) {
			scan_raw(&s);
			continue;
		}
		scan_object(&s);
		while (scan_key(&s, &key)) {
			if (str_is(key, "name"))
				name = take_raw_string(&s);
			else if (str_is(key, "arguments"))
				arguments = scan_raw(&s);
			else
				scan_raw(&s);
		}
	}
	buf_init(&b, 4096);
	emit_call(a, COUNT_NONE, decoded(id, &b), decoded(name, &a->text), arguments);
	buf_release(&b);
}

static void emit_calls(struct api *a, struct str raw)
{
	struct scan s = scan_of(raw);

	if (scan_peek(&s) != SCAN_ARRAY)
		return;
	scan_array(&s);
	while (scan_item(&s))
		emit_one_call(a, scan_raw(&s));
}

static void last_line(struct api *a, const struct found *f, struct str data)
{
	note_usage(a, &f->usage);
	a->cum = f->usage.completion;
	if (f->reason.n)
		emit_finish(a, 0, decoded(f->reason, &a->text));
	if (f->usage.prompt != COUNT_NONE || f->usage.completion != COUNT_NONE)
		emit(a, EV_USAGE, 0, data);
	emit_done(a);
}

static void event(struct api *a, struct str type, struct str data)
{
	struct found f;

	(void)type;
	if (scan_line(data, &f) < 0 || f.error) {
		emit_fault(a, data);
		return;
	}
	note_model(a, f.model);
	/* Each line repeats the role. */
	if (f.role.n && !a->role_seen) {
		a->role_seen = true;
		emit_text(a, EV_ROLE, f.role);
	}
	emit_text(a, EV_REASONING, f.thinking);
	emit_text(a, EV_CONTENT, f.content);
	emit_calls(a, f.tool_calls);
	if (f.done)
		last_line(a, &f, data);
	else if (a->part == 0 && (!f.known || f.tool_calls.n))
		emit(a, EV_OTHER, 0, data);
	else if (a->part == 0)
		emit_empty(a, absent);
}

const struct protocol protocol_ollama_chat = {
	API_OLLAMA_CHAT, "ollama_chat", "/api/chat", FRAMING_JSON, false, event, NULL, NULL,
};
const struct protocol protocol_ollama_generate = {
	API_OLLAMA_GENERATE, "ollama_generate", "/api/generate", FRAMING_JSON, false, event, NULL, NULL,
};
