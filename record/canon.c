#include <config.h>

#include "record/canon.h"

#include <stddef.h>
#include <stdlib.h>

#include "formats/wire/scan.h"
#include "record/canon_item.h"
#include "record/compact.h"

enum { TEXT_MAX = 1 << 30, ID_MAX = 1 << 20 };

/* Members of a body, as raw JSON; absent if not there. */
struct fields {
	struct str messages, tools, functions, system, prompt, suffix, instructions, input, images;
	struct str context, conversation, previous;
};

static const struct {
	const char *key;
	size_t at;
} names[] = {
	{ "messages", offsetof(struct fields, messages) }, { "tools", offsetof(struct fields, tools) },
	{ "functions", offsetof(struct fields, functions) }, { "system", offsetof(struct fields, system) },
	{ "prompt", offsetof(struct fields, prompt) }, { "suffix", offsetof(struct fields, suffix) },
	{ "instructions", offsetof(struct fields, instructions) }, { "input", offsetof(struct fields, input) },
	{ "images", offsetof(struct fields, images) }, { "context", offsetof(struct fields, context) },
	{ "conversation", offsetof(struct fields, conversation) },
	{ "previous_response_id", offsetof(struct fields, previous) },
};

void canon_init(struct canon *c)
{
	*c = (struct canon){ .whole = true };
	buf_init(&c->text, TEXT_MAX);
	buf_init(&c->said, TEXT_MAX);
	buf_init(&c->session, ID_MAX);
	buf_init(&c->previous, ID_MAX);
	buf_init(&c->context, TEXT_MAX);
}

static void empty(struct canon *c)
{
	buf_clear(&c->text);
	buf_clear(&c->said);
	buf_clear(&c->session);
	buf_clear(&c->previous);
	buf_clear(&c->context);
	c->n = 0;
	c->whole = true;
	c->appends = false;
}

void canon_release(struct canon *c)
{
	buf_release(&c->text);
	buf_release(&c->said);
	buf_release(&c->session);
	buf_release(&c->previous);
	buf_release(&c->context);
	free(c->v);
	canon_init(c);
}

/* A text, or several (each an item of its own); token ids count by their numbers. */
static int read_prompt(struct canon *c, struct str prompt)
{
	struct scan s = scan_of(prompt);
	int bad = 0;

	if (scan_peek(&s) == SCAN_STRING) {
		if (!canon_begin_bare(c, CANON_USER))
			return -1;
		bad = canon_put_string(&c->text, prompt);
		canon_end(c);
		c->appends = true;
		return bad;
	}
	if (scan_peek(&s) != SCAN_ARRAY || (prompt.n > 1 && prompt.p[1 + strspn(prompt.p + 1, " \t\r\n")] != '"'))
		return canon_add_compact(c, CANON_USER, "user", prompt);
	scan_array(&s);
	while (scan_item(&s))
		bad |= canon_add_item(c, CANON_USER, "user", scan_raw(&s));
	return bad;
}

static int read_completions(struct canon *c, const struct fields *f)
{
	if (f->prompt.p && read_prompt(c, f->prompt) < 0)
		return -1;
	if (f->suffix.p && *f->suffix.p != 'n')
		c->appends = false;
	return canon_add_item(c, CANON_OTHER, "suffix", f->suffix);
}

static int read_messages(struct canon *c, const struct fields *f)
{
	int bad = canon_add_compact(c, CANON_TOOLS, "tools", f->tools);

	bad |= canon_add_compact(c, CANON_TOOLS, "functions", f->functions);
	bad |= canon_add_item(c, CANON_SYSTEM, "system", f->system);
	return bad | canon_add_messages(c, f->messages);
}

static int read_responses(struct canon *c, const struct fields *f)
{
	int bad = canon_add_compact(c, CANON_TOOLS, "tools", f->tools);
	struct str id = f->conversation;

	bad |= canon_add_item(c, CANON_SYSTEM, "system", f->instructions);
	bad |= canon_add_messages(c, f->input);
	if (f->previous.p && *f->previous.p == '"')
		bad |= canon_put_string(&c->previous, f->previous);
	if (id.p && *id.p == '{') {
		struct scan s = scan_of(id);
		struct str key;

		scan_object(&s);
		while (scan_key(&s, &key)) {
			struct str value = scan_raw(&s);

			if (str_is(key, "id"))
				id = value;
		}
	}
	if (id.p && *id.p == '"')
		bad |= canon_put_string(&c->session, id);
	c->whole = c->previous.n == 0 && c->session.n == 0;
	return bad;
}

static int read_generate(struct canon *c, const struct fields *f)
{
	int bad = canon_add_item(c, CANON_SYSTEM, "system", f->system);

	if (f->context.p && *f->context.p == '[' && f->context.n > 2)
		bad |= compact_json(f->context, &c->context);
	bad |= canon_add_item(c, CANON_USER, "user", f->prompt);
	bad |= canon_add_compact(c, CANON_OTHER, "images", f->images);
	c->whole = c->context.n == 0;
	return bad | canon_add_item(c, CANON_OTHER, "suffix", f->suffix);
}

static int read_fields(struct str body, struct fields *f)
{
	struct scan s = scan_of(body);
	struct str key;

	*f = (struct fields){ .messages = { NULL, 0 } };
	if (scan_peek(&s) != SCAN_OBJECT)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		struct str value = scan_raw(&s);

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !s.bad; i++)
			if (str_is(key, names[i].key))
				*(struct str *)(void *)((char *)f + names[i].at) = value;
	}
	return scan_at_end(&s) ? 0 : -1;
}

int canon_read(struct canon *c, enum api_kind api, struct str body)
{
	struct fields f;
	int bad;

	empty(c);
	if (read_fields(body, &f) < 0)
		return -1;
	switch (api) {
	case API_COMPLETIONS: bad = read_completions(c, &f); break;
	case API_RESPONSES: bad = read_responses(c, &f); break;
	case API_OLLAMA_GENERATE: bad = read_generate(c, &f); break;
	default: bad = read_messages(c, &f); break;
	}
	if (bad)
		empty(c);
	return bad ? -1 : 0;
}

struct str canon_context(struct str line)
{
	struct fields f;

	return read_fields(line, &f) < 0 ? (struct str){ NULL, 0 } : f.context;
}
