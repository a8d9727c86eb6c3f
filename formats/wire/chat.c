/* OpenAI chat.completion.chunk: choices[].delta. */
#include <config.h>

#include "formats/base/clock.h"
#include "formats/wire/chunk.h"

/* An entry of delta.tool_calls carries tokens if it has a name or arguments. */
static bool has_call(struct str entry)
{
	struct scan s = scan_of(entry);
	struct str key, inner;
	bool found = false;

	if (scan_peek(&s) != SCAN_OBJECT)
		return false;
	scan_object(&s);
	while (scan_key(&s, &key)) {
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
	return found;
}

static void tool_calls(struct scan *s, struct chunk *c)
{
	if (scan_peek(s) != SCAN_ARRAY) {
		scan_raw(s);
		return;
	}
	scan_array(s);
	while (scan_item(s)) {
		struct str entry = scan_raw(s);

		if (has_call(entry))
			part_raw(c, EV_TOOL, entry);
	}
}

/* The form before tool_calls: one {"name","arguments"} object.  Kept as an entry of index 0. */
static void function_call(struct scan *s, struct chunk *c)
{
	struct str raw = scan_raw(s);

	if (raw.n < 3 || raw.p[0] != '{')
		return;
	part_begin(c, EV_TOOL);
	buf_adds(&c->text, "{\"index\":0,\"function\":");
	buf_add(&c->text, raw.p, raw.n);
	buf_adds(&c->text, "}");
	part_end(c);
}

static void delta(struct scan *s, struct chunk *c)
{
	struct str key;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		size_t before = c->n_parts;

		if (str_is(key, "content")) {
			part_string(s, c, EV_CONTENT);
		} else if (str_is(key, "reasoning")) {
			part_string(s, c, EV_REASONING);
		} else if (str_is(key, "reasoning_content")) {
			part_string(s, c, EV_REASONING);
			c->reasoning_content |= c->n_parts > before;
		} else if (str_is(key, "role")) {
			part_string(s, c, EV_ROLE);
		} else if (str_is(key, "refusal")) {
			part_string(s, c, EV_REFUSAL);
		} else if (str_is(key, "tool_calls")) {
			tool_calls(s, c);
		} else if (str_is(key, "function_call")) {
			function_call(s, c);
		} else {
			scan_raw(s);
		}
	}
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

void chat_choice(struct scan *s, struct chunk *c)
{
	size_t from = c->n_parts;
	int64_t index = 0;
	struct str key;

	while (scan_key(s, &key)) {
		if (str_is(key, "delta"))
			delta(s, c);
		else if (str_is(key, "finish_reason"))
			part_string(s, c, EV_FINISH);
		else if (str_is(key, "index") && scan_peek(s) == SCAN_NUMBER)
			index = scan_int(s);
		else
			scan_raw(s);
	}
	drop_twin_reasoning(c, from);
	for (size_t i = from; i < c->n_parts; i++)
		c->parts[i].choice = index >= 0 && index <= INT32_MAX ? (int32_t)index : 0;
}
