/*
 * Anthropic Messages: message_start, then per content block start, deltas and stop, then
 * message_delta with the stop reason and message_stop.
 */
#include <config.h>

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

static int64_t thinking_tokens(struct scan *s)
{
	int64_t n = COUNT_NONE;
	struct str key;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return n;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		if (str_is(key, "thinking_tokens"))
			n = take_count(s);
		else
			scan_raw(s);
	}
	return n;
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

		if (str_is(key, "output_tokens_details")) {
			u.reasoning = thinking_tokens(&s);
			continue;
		}
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

/* A content block as it stands: raw texts, strings between their quotes. */
struct block {
	struct str type, id, name, text, thinking, input;
};

static struct block scan_block(struct str raw)
{
	struct scan s = scan_of(raw);
	struct block b = { .type = absent };
	struct str key;

	if (scan_peek(&s) != SCAN_OBJECT)
		return b;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "type"))
			b.type = take_raw_string(&s);
		else if (str_is(key, "id"))
			b.id = take_raw_string(&s);
		else if (str_is(key, "name"))
			b.name = take_raw_string(&s);
		else if (str_is(key, "text"))
			b.text = take_raw_string(&s);
		else if (str_is(key, "thinking"))
			b.thinking = take_raw_string(&s);
		else if (str_is(key, "input"))
			b.input = scan_raw(&s);
		else
			scan_raw(&s);
	}
	return b;
}

static bool no_members(struct str raw)
{
	struct scan s = scan_of(raw);
	struct str key;

	if (scan_peek(&s) != SCAN_OBJECT)
		return raw.n == 0;
	scan_object(&s);
	return !scan_key(&s, &key);
}

/* A tool's input, as the JSON text that "arguments" is elsewhere. */
static void emit_block_call(struct api *a, const struct block *b, int64_t place, bool whole)
{
	struct str arguments = b->input;
	struct buf id;

	/* A stream begins with an empty object, which is no part of what follows. */
	if (!b->input.p || (!whole && no_members(b->input)))
		arguments = (struct str){ "", 0 };
	buf_init(&id, 4096);
	emit_call(a, place, decoded(b->id, &id), decoded(b->name, &a->text), arguments);
	buf_release(&id);
}

/* Whole in a body, mostly empty where a stream begins it; what is not understood is kept as it came. */
static void emit_block(struct api *a, struct str raw, int64_t place, bool whole, struct str data)
{
	struct block b = scan_block(raw);
	bool thinking = str_is(b.type, "thinking");
	struct str text = thinking ? b.thinking : b.text;

	if (b.name.n)
		emit_block_call(a, &b, place, whole);
	else if (!thinking && !str_is(b.type, "text"))
		emit(a, EV_OTHER, 0, data);
	else if (text.n)
		emit(a, thinking ? EV_REASONING : EV_CONTENT, 0, decoded(text, &a->text));
	else if (!whole)
		emit_empty(a, str_of("content_block_start"));
}

static void block_delta(struct api *a, const struct found *f, struct str data)
{
	static const struct {
		const char *key;
		enum event_class cls;
	} texts[] = { { "text", EV_CONTENT }, { "thinking", EV_REASONING }, { "partial_json", EV_TOOL } };
	struct scan s = scan_of(f->delta);
	enum event_class cls = EV_EMPTY;
	struct str key;

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
		else if (i == 3)
			scan_raw(&s);
	}
	if (cls == EV_TOOL && a->text.n)
		emit_arguments(a, f->index, buf_str(&a->text));
	else if (cls != EV_EMPTY && a->text.n)
		emit(a, cls, 0, buf_str(&a->text));
	else if (cls == EV_EMPTY)
		emit(a, EV_OTHER, 0, data);
	else
		emit_empty(a, f->type);
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
		emit_block(a, f.block, f.index, false, data);
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

/* A whole body: what message_start, the blocks and message_delta say. */
struct body {
	struct str role, content, reason, usage;
	bool error;
};

static int scan_body(struct api *a, struct str raw, struct body *b)
{
	struct scan s = scan_of(raw);
	struct str key;

	*b = (struct body){ .role = absent };
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "model"))
			note_model(a, take_raw_string(&s));
		else if (str_is(key, "id"))
			note_id(a, take_raw_string(&s));
		else if (str_is(key, "role"))
			b->role = take_raw_string(&s);
		else if (str_is(key, "content"))
			b->content = scan_raw(&s);
		else if (str_is(key, "stop_reason"))
			b->reason = take_raw_string(&s);
		else if (str_is(key, "usage") && scan_peek(&s) == SCAN_OBJECT)
			b->usage = scan_raw(&s);
		else if (str_is(key, "error"))
			b->error = !str_is(scan_raw(&s), "null");
		else
			scan_raw(&s);
	}
	return scan_at_end(&s) ? 0 : -1;
}

static void whole_blocks(struct api *a, struct str content)
{
	struct scan s = scan_of(content);

	if (scan_peek(&s) != SCAN_ARRAY)
		return;
	scan_array(&s);
	for (int64_t i = 0; scan_item(&s); i++) {
		struct str raw = scan_raw(&s);

		emit_block(a, raw, i, true, raw);
	}
}

static void whole(struct api *a, struct str raw)
{
	struct body b;

	if (scan_body(a, raw, &b) < 0 || b.error) {
		emit_fault(a, raw);
		return;
	}
	note_counts(a, b.usage, true);
	if (b.role.n)
		emit(a, EV_ROLE, 0, decoded(b.role, &a->text));
	whole_blocks(a, b.content);
	if (b.reason.n)
		emit_finish(a, 0, decoded(b.reason, &a->text));
	if (b.usage.n)
		emit(a, EV_USAGE, 0, b.usage);
}

static bool ends(struct str type)
{
	return str_is(type, "message_stop");
}

const struct protocol protocol_messages = {
	API_MESSAGES, "messages", "/messages", FRAMING_SSE, false, event, whole, ends,
};
