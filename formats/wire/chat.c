/* OpenAI chat: choices[].delta of a chunk, choices[].message of a whole body. */
#include <config.h>

#include "formats/base/clock.h"
#include "formats/wire/chunk.h"

/*
 * An entry of delta.tool_calls carries tokens if it has a name or arguments.  One that has
 * an id alone shows no token, but it is kept: the id is the call's.  Else EV_OTHER.
 */
static enum event_class class_of(struct str entry)
{
	struct scan s = scan_of(entry);
	struct str key, inner;
	bool found = false, id = false;

	if (scan_peek(&s) != SCAN_OBJECT)
		return EV_OTHER;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "id"))
			id |= scan_peek(&s) == SCAN_STRING;
		if (!str_is(key, "function") || scan_peek(&s) != SCAN_OBJECT) {
			scan_raw(&s);
			continue;
		}
		scan_object(&s);
		while (scan_key(&s, &inner)) {
			struct str value = scan_raw(&s);

			if (str_is(inner, "name") || str_is(inner, "arguments"))
				found |= value.n > 2 && value.p[0] == '"';
		}
	}
	return found ? EV_TOOL : id ? EV_EMPTY : EV_OTHER;
}

static void tool_calls(struct chunk *c, struct str raw)
{
	struct scan s = scan_of(raw);

	if (scan_peek(&s) != SCAN_ARRAY)
		return;
	scan_array(&s);
	while (scan_item(&s)) {
		struct str entry = scan_raw(&s);

		if (class_of(entry) != EV_OTHER)
			part_raw(c, class_of(entry), entry);
	}
}

/* The form before tool_calls: one {"name","arguments"} object.  Kept as an entry of index 0. */
static void function_call(struct chunk *c, struct str raw)
{
	if (raw.n < 3 || raw.p[0] != '{')
		return;
	part_begin(c, EV_TOOL);
	buf_adds(&c->text, "{\"index\":0,\"function\":");
	buf_add(&c->text, raw.p, raw.n);
	buf_adds(&c->text, "}");
	part_end(c);
}

/* What a delta may carry, in the order in which a model makes it. */
enum { ROLE, REASONING, REASONING_CONTENT, CONTENT, REFUSAL, TOOL_CALLS, FUNCTION_CALL, MEMBERS };

static const struct {
	const char *key;
	enum event_class cls;
} members[MEMBERS] = {
	[ROLE] = { "role", EV_ROLE }, [REASONING] = { "reasoning", EV_REASONING },
	[REASONING_CONTENT] = { "reasoning_content", EV_REASONING }, [CONTENT] = { "content", EV_CONTENT },
	[REFUSAL] = { "refusal", EV_REFUSAL }, [TOOL_CALLS] = { "tool_calls", EV_TOOL },
	[FUNCTION_CALL] = { "function_call", EV_TOOL },
};

static void text_member(struct chunk *c, enum event_class cls, struct str raw)
{
	struct scan s = scan_of(raw);

	part_string(&s, c, cls);
}

/* A key that stands twice counts once, the last time, as it does for a parser of documents. */
static void delta(struct scan *s, struct chunk *c)
{
	struct str found[MEMBERS] = { { NULL, 0 } }, key;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		int i = 0;

		while (i < MEMBERS && !str_is(key, members[i].key))
			i++;
		key = scan_raw(s);
		if (i < MEMBERS)
			found[i] = key;
	}
	for (int i = 0; i < TOOL_CALLS && !s->bad; i++) {
		size_t before = c->n_parts;

		if (found[i].n)
			text_member(c, members[i].cls, found[i]);
		c->reasoning_content |= i == REASONING_CONTENT && c->n_parts > before;
	}
	if (found[TOOL_CALLS].n && !s->bad)
		tool_calls(c, found[TOOL_CALLS]);
	if (found[FUNCTION_CALL].n && !s->bad)
		function_call(c, found[FUNCTION_CALL]);
}

/* Some servers send the same thinking under both names in one delta: it is one text. */
static void drop_twin_reasoning(struct chunk *c, size_t from)
{
	struct part *a = NULL;

	for (size_t i = from; i < c->n_parts; i++) {
		struct part *b = &c->parts[i];

		if (b->cls != EV_REASONING)
			continue;
		if (a && a->len == b->len && memcmp(c->text.p + a->off, c->text.p + b->off, a->len) == 0) {
			memmove(b, b + 1, (c->n_parts - i - 1) * sizeof(*b));
			c->n_parts--;
			return;
		}
		a = b;
	}
}

/* The reason comes last, wherever it stands. */
static void choice(struct scan *s, struct chunk *c, const char *carrier)
{
	struct str key, finish = { NULL, 0 };
	size_t from = c->n_parts;
	int64_t index = 0;

	while (scan_key(s, &key)) {
		if (str_is(key, carrier))
			delta(s, c);
		else if (str_is(key, "finish_reason"))
			finish = scan_raw(s);
		else if (str_is(key, "index") && scan_peek(s) == SCAN_NUMBER)
			index = scan_int(s);
		else
			scan_raw(s);
	}
	drop_twin_reasoning(c, from);
	if (finish.n && !s->bad)
		text_member(c, EV_FINISH, finish);
	for (size_t i = from; i < c->n_parts; i++)
		c->parts[i].choice = index >= 0 && index <= INT32_MAX ? (int32_t)index : 0;
}

void chat_choice(struct scan *s, struct chunk *c)
{
	choice(s, c, "delta");
}

void chat_whole_choice(struct scan *s, struct chunk *c)
{
	choice(s, c, "message");
}
