/*
 * Anthropic Messages: message_start, then per content block start, deltas and stop, then
 * message_delta with the stop reason and message_stop.
 */
#include <config.h>

#include <jansson.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

static const struct str absent = { NULL, 0 };

/* What the one pass over an event finds; raw texts are borrowed from it. */
struct found {
	struct str type, message, block, usage, delta;
	int64_t index;
};

static int scan_event(struct str data, struct found *f)
{
	struct scan s = scan_of(data);
	struct str key;

	*f = (struct found){ .index = COUNT_NONE };
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "type"))
			f->type = take_raw_string(&s);
		else if (str_is(key, "index"))
			f->index = take_count(&s);
		else if (str_is(key, "delta"))
			f->delta = scan_raw(&s);
		else if (str_is(key, "message"))
			f->message = scan_raw(&s);
		else if (str_is(key, "content_block"))
			f->block = scan_raw(&s);
		else if (str_is(key, "usage"))
			f->usage = scan_raw(&s);
		else
			scan_raw(&s);
	}
	return scan_at_end(&s) ? 0 : -1;
}

static int32_t index_of(const struct found *f)
{
	return f->index >= 0 && f->index <= INT32_MAX ? (int32_t)f->index : 0;
}

/*
 * "input_tokens" counts what was neither read from the cache nor written to it; the prompt
 * is the sum of the three.  True if the object says any.
 */
static void note_counts(struct api *a, struct str raw, bool final)
{
	static const char *const names[] = {
		"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
	};
	struct scan s = scan_of(raw);
	struct usage u = USAGE_NONE;
	struct str key;

	if (scan_peek(&s) != SCAN_OBJECT)
		return;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		int64_t *to = str_is(key, "output_tokens") ? &u.completion : NULL, v;

		for (int i = 0; i < 3; i++)
			if (str_is(key, names[i]))
				to = &a->prompt_parts[i];
		v = to ? take_count(&s) : (scan_raw(&s), COUNT_NONE);
		if (to && v != COUNT_NONE)
			*to = v;
	}
	/* What message_start says of the output was counted before there was any. */
	if (!final)
		u.completion = COUNT_NONE;
	for (int i = 0; i < 3; i++)
		if (a->prompt_parts[i] != COUNT_NONE)
			u.prompt = (u.prompt == COUNT_NONE ? 0 : u.prompt) + a->prompt_parts[i];
	u.cached = a->prompt_parts[2];
	note_usage(a, &u);
	a->cum = u.completion;
}

static void message_start(struct api *a, const struct found *f)
{
	struct scan s = scan_of(f->message);
	struct str key;
	bool role = false;

	if (scan_peek(&s) != SCAN_OBJECT) {
		emit_empty(a, f->type);
		return;
	}
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "model"))
			note_model(a, take_raw_string(&s));
		else if (str_is(key, "id"))
			note_id(a, take_raw_string(&s));
		else if (str_is(key, "usage"))
			note_counts(a, scan_raw(&s), false);
		else if (str_is(key, "role"))
			role = take_string(&s, &a->text);
		else
			scan_raw(&s);
	}
	if (role && a->text.n)
		emit(a, EV_ROLE, 0, buf_str(&a->text));
	else
		emit_empty(a, f->type);
}

static struct str string_at(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		return absent;
	return (struct str){ json_string_value(v), json_string_length(v) };
}

/* A tool's input, as the JSON text that "arguments" is elsewhere; "" for the empty object that a stream begins with. */
static void emit_call(struct api *a, const json_t *block, int32_t index)
{
	const json_t *input = json_object_get(block, "input");
	char *raw = json_object_size(input) ? json_dumps(input, JSON_COMPACT) : NULL;

	emit_tool(a, index, string_at(block, "id"), string_at(block, "name"), raw ? str_of(raw) : (struct str){ "", 0 });
	free(raw);
}

/* A block as it stands: whole in a body, mostly empty where a stream begins it.  False: nothing in it. */
static bool emit_block(struct api *a, const json_t *block, int32_t index)
{
	struct str type = string_at(block, "type"), text;

	if (string_at(block, "name").n) {
		emit_call(a, block, index);
		return true;
	}
	text = string_at(block, str_is(type, "thinking") ? "thinking" : "text");
	if (!text.n)
		return false;
	emit(a, str_is(type, "thinking") ? EV_REASONING : EV_CONTENT, 0, text);
	return true;
}

static void block_start(struct api *a, const struct found *f)
{
	json_t *block = json_loadb(f->block.p ? f->block.p : "", f->block.n, JSON_ALLOW_NUL, NULL);

	if (!emit_block(a, block, index_of(f)))
		emit_empty(a, f->type);
	json_decref(block);
}

static void block_delta(struct api *a, const struct found *f, struct str data)
{
	static const struct {
		const char *key;
		enum event_class cls;
	} texts[] = { { "text", EV_CONTENT }, { "thinking", EV_REASONING }, { "partial_json", EV_TOOL } };
	struct scan s = scan_of(f->delta);
	enum event_class cls = EV_EMPTY;
	struct str key, type = absent;

	buf_clear(&a->text);
	if (scan_peek(&s) == SCAN_OBJECT)
		scan_object(&s);
	else
		s.bad = true;
	while (scan_key(&s, &key)) {
		size_t i = 0;

		while (i < 3 && !str_is(key, texts[i].key))
			i++;
		if (i < 3 && take_string(&s, &a->text))
			cls = texts[i].cls;
		else if (i == 3 && str_is(key, "type"))
			type = take_raw_string(&s);
		else if (i == 3)
			scan_raw(&s);
	}
	if (cls == EV_TOOL && a->text.n)
		emit_tool(a, index_of(f), absent, absent, buf_str(&a->text));
	else if (cls != EV_EMPTY && a->text.n)
		emit(a, cls, 0, buf_str(&a->text));
	else if (cls == EV_EMPTY && !str_is(type, "signature_delta"))
		emit(a, EV_OTHER, 0, data);
	else
		emit_empty(a, type.p ? type : f->type);
}

static void message_delta(struct api *a, const struct found *f)
{
	struct scan s = scan_of(f->delta);
	struct str key;
	bool reason = false;

	note_counts(a, f->usage, true);
	buf_clear(&a->text);
	if (scan_peek(&s) == SCAN_OBJECT) {
		scan_object(&s);
		while (scan_key(&s, &key)) {
			if (str_is(key, "stop_reason"))
				reason = take_string(&s, &a->text);
			else
				scan_raw(&s);
		}
	}
	if (reason && a->text.n)
		emit_finish(a, 0, buf_str(&a->text));
	if (f->usage.n)
		emit(a, EV_USAGE, 0, f->usage);
	else if (!reason)
		emit_empty(a, f->type);
}

static void event(struct api *a, struct str type, struct str data)
{
	struct found f;

	if (scan_event(data, &f) < 0) {
		emit_fault(a, data);
		return;
	}
	if (!f.type.p)
		f.type = type;
	if (str_is(f.type, "content_block_delta"))
		block_delta(a, &f, data);
	else if (str_is(f.type, "content_block_start"))
		block_start(a, &f);
	else if (str_is(f.type, "message_start"))
		message_start(a, &f);
	else if (str_is(f.type, "message_delta"))
		message_delta(a, &f);
	else if (str_is(f.type, "message_stop"))
		emit_done(a);
	else if (str_is(f.type, "error"))
		emit_fault(a, data);
	else if (str_is(f.type, "content_block_stop") || str_is(f.type, "ping"))
		emit_empty(a, f.type);
	else
		emit(a, EV_OTHER, 0, data);
}

static void note_head(struct api *a, const json_t *m)
{
	struct str model = string_at(m, "model"), id = string_at(m, "id");

	buf_add(&a->model, model.p, model.n);
	buf_add(&a->id, id.p, id.n);
}

static void whole(struct api *a, struct str body)
{
	json_t *m = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	const json_t *block, *usage = json_object_get(m, "usage");
	char *raw = json_is_object(usage) ? json_dumps(usage, JSON_COMPACT) : NULL;
	size_t i;

	if (!json_is_object(m) || json_is_object(json_object_get(m, "error"))) {
		emit_fault(a, body);
	} else {
		note_head(a, m);
		note_counts(a, raw ? str_of(raw) : absent, true);
		if (string_at(m, "role").n)
			emit(a, EV_ROLE, 0, string_at(m, "role"));
		json_array_foreach(json_object_get(m, "content"), i, block)
			emit_block(a, block, (int32_t)i);
		if (string_at(m, "stop_reason").n)
			emit_finish(a, 0, string_at(m, "stop_reason"));
		if (raw)
			emit(a, EV_USAGE, 0, str_of(raw));
	}
	free(raw);
	json_decref(m);
}

const struct protocol protocol_messages = {
	API_MESSAGES, "messages", "/messages", FRAMING_SSE, event, whole,
};
