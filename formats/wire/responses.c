/*
 * OpenAI Responses: typed events, each with a "type"; the delta events are the hot path,
 * what comes once a response is read by jansson.
 */
#include <config.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

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
	struct str type, item, response, model, id;
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

static int32_t index_of(int64_t output_index)
{
	return output_index >= 0 && output_index <= INT32_MAX ? (int32_t)output_index : 0;
}

static struct str string_at(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		return (struct str){ NULL, 0 };
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static int64_t count_at(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) : COUNT_NONE;
}

static bool delta_event(struct api *a, struct str type, const struct found *f)
{
	int32_t index = index_of(f->output_index);

	for (int i = 0; i < DELTAS; i++) {
		if (!f->has_delta || !str_is(type, deltas[i].type))
			continue;
		if (a->text.n == 0)
			emit_empty(a, type);
		else if (deltas[i].cls == EV_TOOL)
			emit_tool(a, index, (struct str){ NULL, 0 }, (struct str){ NULL, 0 }, buf_str(&a->text));
		else
			emit(a, deltas[i].cls, 0, buf_str(&a->text));
		return true;
	}
	return false;
}

/* A call's begin is its id and name: function_call, custom_tool_call, mcp_call. */
static bool is_call(struct str type)
{
	return str_is(type, "function_call") || str_is(type, "custom_tool_call") || str_is(type, "mcp_call");
}

static struct str call_id(const json_t *item)
{
	struct str id = string_at(item, "call_id");

	return id.p ? id : string_at(item, "id");
}

static void item_added(struct api *a, struct str type, const struct found *f)
{
	json_t *item = json_loadb(f->item.p ? f->item.p : "", f->item.n, JSON_ALLOW_NUL, NULL);
	struct str kind = string_at(item, "type"), role = string_at(item, "role");

	if (is_call(kind))
		emit_tool(a, index_of(f->output_index), call_id(item), string_at(item, "name"),
			  (struct str){ "", 0 });
	else if (role.n)
		emit(a, EV_ROLE, 0, role);
	else
		emit_empty(a, type);
	json_decref(item);
}

static struct usage usage_of(const json_t *u)
{
	return (struct usage){
		.prompt = count_at(u, "input_tokens"), .completion = count_at(u, "output_tokens"),
		.total = count_at(u, "total_tokens"),
		.reasoning = count_at(json_object_get(u, "output_tokens_details"), "reasoning_tokens"),
		.cached = count_at(json_object_get(u, "input_tokens_details"), "cached_tokens"),
	};
}

static void note_response(struct api *a, const json_t *r)
{
	struct usage u = usage_of(json_object_get(r, "usage"));
	struct str model = string_at(r, "model"), id = string_at(r, "id");

	/* Decoded already: kept as they are. */
	if (!a->model.n)
		buf_add(&a->model, model.p, model.n);
	if (!a->id.n)
		buf_add(&a->id, id.p, id.n);
	note_usage(a, &u);
}

/* Why it ended: the reason of an incomplete one, else its status, "completed". */
static void finish_of(struct api *a, const json_t *r)
{
	struct str reason = string_at(json_object_get(r, "incomplete_details"), "reason");

	if (!reason.n)
		reason = string_at(r, "status");
	if (reason.n)
		emit_finish(a, 0, reason);
}

static void emit_usage(struct api *a, const json_t *r)
{
	char *raw = json_dumps(json_object_get(r, "usage"), JSON_COMPACT);

	if (json_is_object(json_object_get(r, "usage")) && raw)
		emit(a, EV_USAGE, 0, str_of(raw));
	free(raw);
}

/* response.completed and response.incomplete: the response's last event. */
static void ended(struct api *a, const struct found *f)
{
	json_t *r = json_loadb(f->response.p ? f->response.p : "", f->response.n, JSON_ALLOW_NUL, NULL);

	note_response(a, r);
	a->cum = count_at(json_object_get(r, "usage"), "output_tokens");
	finish_of(a, r);
	emit_usage(a, r);
	emit_done(a);
	json_decref(r);
}

static void failed(struct api *a, const struct found *f, struct str data)
{
	json_t *r = json_loadb(f->response.p ? f->response.p : "", f->response.n, JSON_ALLOW_NUL, NULL);

	note_response(a, r);
	/* The error object stands inside the response: as "error" does in other protocols. */
	emit_fault(a, json_is_object(json_object_get(r, "error")) ? f->response : data);
	json_decref(r);
}

static bool begins_with(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && memcmp(s.p, prefix, n) == 0;
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
		item_added(a, type, &f);
	else if (str_is(type, "response.completed") || str_is(type, "response.incomplete"))
		ended(a, &f);
	else if (str_is(type, "response.failed"))
		failed(a, &f, data);
	else if (str_is(type, "error") || (!type.p && f.has_error))
		emit_fault(a, data);
	else if (begins_with(type, "response."))
		emit_empty(a, type);
	else
		emit(a, EV_OTHER, 0, data);
}

static void content_part(struct api *a, const json_t *part)
{
	struct str type = string_at(part, "type");
	struct str text = string_at(part, str_is(type, "refusal") ? "refusal" : "text");

	if (!text.n)
		return;
	if (str_is(type, "output_text"))
		emit(a, EV_CONTENT, 0, text);
	else if (str_is(type, "refusal"))
		emit(a, EV_REFUSAL, 0, text);
	else if (str_is(type, "reasoning_text") || str_is(type, "summary_text"))
		emit(a, EV_REASONING, 0, text);
}

static void whole_item(struct api *a, const json_t *item, int32_t index)
{
	struct str type = string_at(item, "type"), role = string_at(item, "role"), text;
	const json_t *part;
	size_t i;

	if (is_call(type)) {
		text = string_at(item, "arguments");
		emit_tool(a, index, call_id(item), string_at(item, "name"),
			  text.p ? text : string_at(item, "input"));
		return;
	}
	if (role.n)
		emit(a, EV_ROLE, 0, role);
	json_array_foreach(json_object_get(item, "summary"), i, part)
		content_part(a, part);
	json_array_foreach(json_object_get(item, "content"), i, part)
		content_part(a, part);
}

static void whole(struct api *a, struct str body)
{
	json_t *r = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	const json_t *item;
	size_t i;

	if (!json_is_object(r) || json_is_object(json_object_get(r, "error"))) {
		emit_fault(a, body);
		json_decref(r);
		return;
	}
	note_response(a, r);
	a->cum = a->sum.usage.completion;
	json_array_foreach(json_object_get(r, "output"), i, item)
		whole_item(a, item, (int32_t)i);
	finish_of(a, r);
	emit_usage(a, r);
	json_decref(r);
}

const struct protocol protocol_responses = {
	API_RESPONSES, "responses", "/responses", FRAMING_SSE, event, whole,
};
