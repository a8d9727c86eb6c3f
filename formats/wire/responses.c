/*
 * OpenAI Responses: typed events, each with a "type".  What a whole body has, the last
 * event of a stream has as its "response".
 */
#include <config.h>

#include <string.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

static const struct str absent = { NULL, 0 };

/* Events that carry generated text, and as what. */
static const struct {
	const char *type;
	enum event_class cls;
} deltas[] = {
	{ "response.output_text.delta", EV_CONTENT },
	{ "response.reasoning_text.delta", EV_REASONING },
	{ "response.reasoning_summary_text.delta", EV_REASONING },
	{ "response.refusal.delta", EV_REFUSAL },
	{ "response.function_call_arguments.delta", EV_TOOL },
	{ "response.custom_tool_call_input.delta", EV_TOOL },
	{ "response.mcp_call_arguments.delta", EV_TOOL },
	{ "response.code_interpreter_call_code.delta", EV_TOOL },
};

enum { DELTAS = sizeof(deltas) / sizeof(*deltas) };

/* What the one pass over an event finds. */
struct found {
	struct str type, item, response;
	int64_t output_index;
	bool has_delta, has_error;
};

static int scan_event(struct api *a, struct str data, struct found *f)
{
	struct scan s = scan_of(data);
	struct str key;

	*f = (struct found){ .output_index = COUNT_NONE };
	buf_clear(&a->text);
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "type"))
			f->type = take_raw_string(&s);
		else if (str_is(key, "delta"))
			f->has_delta = take_string(&s, &a->text);
		else if (str_is(key, "output_index"))
			f->output_index = take_count(&s);
		else if (str_is(key, "item"))
			f->item = scan_raw(&s);
		else if (str_is(key, "response"))
			f->response = scan_raw(&s);
		else if (str_is(key, "error") && scan_peek(&s) == SCAN_OBJECT) {
			f->has_error = true;
			scan_raw(&s);
		} else
			scan_raw(&s);
	}
	return scan_at_end(&s) ? 0 : -1;
}

static bool is_one_of(struct str word, const char *const *words)
{
	while (*words && !str_is(word, *words))
		words++;
	return *words != NULL;
}

static bool delta_event(struct api *a, struct str type, const struct found *f)
{
	for (int i = 0; i < DELTAS; i++) {
		if (!f->has_delta || !str_is(type, deltas[i].type))
			continue;
		if (a->text.n == 0)
			emit_empty(a, type);
		else if (deltas[i].cls == EV_TOOL)
			emit_arguments(a, f->output_index, buf_str(&a->text));
		else
			emit(a, deltas[i].cls, 0, buf_str(&a->text));
		return true;
	}
	return false;
}

/* An element of "output": raw texts, strings between their quotes. */
struct item {
	struct str type, role, id, call_id, name, arguments, input, content, summary;
};

static struct item scan_item_of(struct str raw)
{
	struct item it = { .type = absent };
	const struct {
		const char *key;
		struct str *to;
	} strings[] = {
		{ "type", &it.type }, { "role", &it.role }, { "id", &it.id }, { "call_id", &it.call_id },
		{ "name", &it.name }, { "arguments", &it.arguments }, { "input", &it.input },
	};
	const size_t n = sizeof(strings) / sizeof(*strings);
	struct scan s = scan_of(raw);
	struct str key;

	if (scan_peek(&s) != SCAN_OBJECT)
		return it;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		size_t i = 0;

		while (i < n && !str_is(key, strings[i].key))
			i++;
		if (i < n)
			*strings[i].to = take_raw_string(&s);
		else if (str_is(key, "content"))
			it.content = scan_raw(&s);
		else if (str_is(key, "summary"))
			it.summary = scan_raw(&s);
		else
			scan_raw(&s);
	}
	return it;
}

/* A call's begin is its id and name. */
static bool is_call(struct str type)
{
	static const char *const types[] = { "function_call", "custom_tool_call", "mcp_call", NULL };

	return is_one_of(type, types);
}

static void emit_item_call(struct api *a, int64_t place, const struct item *it, bool whole)
{
	struct buf id, name;
	struct str arguments = { "", 0 };

	buf_init(&id, 4096);
	buf_init(&name, 4096);
	if (whole)
		arguments = decoded(it->arguments.p ? it->arguments : it->input, &a->text);
	emit_call(a, place, decoded(it->call_id.p ? it->call_id : it->id, &id), decoded(it->name, &name), arguments);
	buf_release(&id);
	buf_release(&name);
}

static void item_added(struct api *a, struct str type, const struct found *f, struct str data)
{
	struct item it = scan_item_of(f->item);

	if (is_call(it.type))
		emit_item_call(a, f->output_index, &it, false);
	else if (it.role.n)
		emit(a, EV_ROLE, 0, decoded(it.role, &a->text));
	else if (str_is(it.type, "reasoning"))
		emit_empty(a, type);
	else
		emit(a, EV_OTHER, 0, data);
}

/* What is in a message or a call has been said by deltas; of other items this alone may tell. */
static void item_done(struct api *a, struct str type, const struct found *f, struct str data)
{
	struct item it = scan_item_of(f->item);

	if (str_is(it.type, "message") || is_call(it.type))
		emit_empty(a, type);
	else
		emit(a, EV_OTHER, 0, data);
}

/* A response object: raw texts, strings between their quotes. */
struct answer {
	struct str status, reason, usage, output;
	bool error;
};

static struct str reason_of(struct scan *s)
{
	struct str key, reason = absent;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return reason;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		if (str_is(key, "reason"))
			reason = take_raw_string(s);
		else
			scan_raw(s);
	}
	return reason;
}

static void note_counts(struct api *a, struct str usage)
{
	static const struct usage_names names = {
		"input_tokens", "output_tokens", "input_tokens_details", "output_tokens_details",
	};
	struct usage u = usage_parse(usage, &names);

	note_usage(a, &u);
	a->cum = u.completion;
}

/* Notes model, id and counts.  -1: no object. */
static int scan_answer(struct api *a, struct str raw, struct answer *w)
{
	struct scan s = scan_of(raw);
	struct str key;

	*w = (struct answer){ .status = absent };
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "status"))
			w->status = take_raw_string(&s);
		else if (str_is(key, "incomplete_details"))
			w->reason = reason_of(&s);
		else if (str_is(key, "model"))
			note_model(a, take_raw_string(&s));
		else if (str_is(key, "id"))
			note_id(a, take_raw_string(&s));
		else if (str_is(key, "error")) {
			w->error = scan_peek(&s) == SCAN_OBJECT || scan_peek(&s) == SCAN_STRING;
			scan_raw(&s);
		} else if (str_is(key, "usage") && scan_peek(&s) == SCAN_OBJECT)
			w->usage = scan_raw(&s);
		else if (str_is(key, "output"))
			w->output = scan_raw(&s);
		else
			scan_raw(&s);
	}
	note_counts(a, w->usage);
	return scan_at_end(&s) ? 0 : -1;
}

/* Why it ended: the reason of an incomplete one, else its status, "completed"; and the counts. */
static void emit_end(struct api *a, const struct answer *w)
{
	if (w->reason.n || w->status.n)
		emit_finish(a, 0, decoded(w->reason.n ? w->reason : w->status, &a->text));
	if (w->usage.n)
		emit(a, EV_USAGE, 0, w->usage);
}

/* Nothing follows them. */
static bool ends(struct str type)
{
	static const char *const types[] = { "response.completed", "response.incomplete", "response.failed", NULL };

	return is_one_of(type, types);
}

/* Of a failed response the error stands inside: as "error" does in other protocols. */
static void ended(struct api *a, struct str type, const struct found *f, struct str data)
{
	struct answer w;

	scan_answer(a, f->response, &w);
	if (str_is(type, "response.failed")) {
		emit_fault(a, w.error ? f->response : data);
		return;
	}
	emit_end(a, &w);
	emit_done(a);
}

/* Events that say nothing, or again what deltas have said. */
static bool says_nothing(struct str type)
{
	static const char *const types[] = {
		"response.created", "response.queued", "response.in_progress",
		"response.content_part.added", "response.content_part.done", "response.output_text.done", "response.refusal.done",
		"response.reasoning_text.done", "response.reasoning_summary_text.done",
		"response.reasoning_part.added", "response.reasoning_part.done",
		"response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
		"response.function_call_arguments.done", "response.custom_tool_call_input.done",
		"response.mcp_call_arguments.done", "response.code_interpreter_call_code.done", NULL,
	};

	return is_one_of(type, types);
}

static void event(struct api *a, struct str type, struct str data)
{
	struct found f;

	if (scan_event(a, data, &f) < 0) {
		emit_fault(a, data);
		return;
	}
	if (f.type.p)
		type = f.type;
	if (delta_event(a, type, &f))
		return;
	if (str_is(type, "response.output_item.added"))
		item_added(a, type, &f, data);
	else if (str_is(type, "response.output_item.done"))
		item_done(a, type, &f, data);
	else if (ends(type))
		ended(a, type, &f, data);
	else if (str_is(type, "error") || (!type.p && f.has_error))
		emit_fault(a, data);
	else if (says_nothing(type)) {
		scan_answer(a, f.response, &(struct answer){ .error = false });
		emit_empty(a, type);
	} else
		emit(a, EV_OTHER, 0, data);
}

static void content_part(struct api *a, struct str raw)
{
	struct scan s = scan_of(raw);
	struct str key, type = absent, text = absent, refusal = absent;

	if (scan_peek(&s) != SCAN_OBJECT)
		return;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "type"))
			type = take_raw_string(&s);
		else if (str_is(key, "text"))
			text = take_raw_string(&s);
		else if (str_is(key, "refusal"))
			refusal = take_raw_string(&s);
		else
			scan_raw(&s);
	}
	if (str_is(type, "output_text") && text.n)
		emit(a, EV_CONTENT, 0, decoded(text, &a->text));
	else if (str_is(type, "refusal") && refusal.n)
		emit(a, EV_REFUSAL, 0, decoded(refusal, &a->text));
	else if ((str_is(type, "reasoning_text") || str_is(type, "summary_text")) && text.n)
		emit(a, EV_REASONING, 0, decoded(text, &a->text));
}

static void content_parts(struct api *a, struct str raw)
{
	struct scan s = scan_of(raw);

	if (scan_peek(&s) != SCAN_ARRAY)
		return;
	scan_array(&s);
	while (scan_item(&s))
		content_part(a, scan_raw(&s));
}

static void whole_item(struct api *a, struct str raw, int64_t place)
{
	struct item it = scan_item_of(raw);

	if (is_call(it.type)) {
		emit_item_call(a, place, &it, true);
		return;
	}
	if (it.role.n)
		emit(a, EV_ROLE, 0, decoded(it.role, &a->text));
	content_parts(a, it.summary);
	content_parts(a, it.content);
}

static void whole(struct api *a, struct str body)
{
	struct answer w;
	struct scan s;
	int64_t i = 0;

	if (scan_answer(a, body, &w) < 0 || w.error) {
		emit_fault(a, body);
		return;
	}
	s = scan_of(w.output);
	if (scan_peek(&s) == SCAN_ARRAY) {
		scan_array(&s);
		while (scan_item(&s))
			whole_item(a, scan_raw(&s), i++);
	}
	emit_end(a, &w);
}

const struct protocol protocol_responses = {
	API_RESPONSES, "responses", "/responses", FRAMING_SSE, false, event, whole, ends,
};
