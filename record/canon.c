#include <config.h>

#include "record/canon.h"

#include <stddef.h>
#include <stdlib.h>

#include "formats/wire/scan.h"
#include "record/compact.h"

enum { TEXT_MAX = 1 << 30, ID_MAX = 1 << 20, ITEM = 0x1e, FIELD = 0x1f };

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
	buf_init(&c->session, ID_MAX);
	buf_init(&c->previous, ID_MAX);
	buf_init(&c->context, TEXT_MAX);
}

static void empty(struct canon *c)
{
	buf_clear(&c->text);
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
	buf_release(&c->session);
	buf_release(&c->previous);
	buf_release(&c->context);
	free(c->v);
	canon_init(c);
}

/* ---- items ---- */

static int put_mark(struct canon *c, char mark)
{
	return buf_add(&c->text, &mark, 1);
}

static struct canon_item *begin_bare(struct canon *c, enum canon_kind kind)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 32;
		struct canon_item *v = realloc(c->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		c->v = v;
		c->cap = cap;
	}
	c->v[c->n] = (struct canon_item){ .kind = kind, .off = c->text.n, .content_off = c->text.n };
	return &c->v[c->n++];
}

static int begin(struct canon *c, enum canon_kind kind, struct str role)
{
	struct canon_item *it = begin_bare(c, kind);
	int bad;

	if (!it)
		return -1;
	bad = put_mark(c, ITEM);
	bad |= buf_add(&c->text, role.p, role.n);
	bad |= put_mark(c, FIELD);
	it->content_off = c->text.n;
	return bad;
}

static void end_content(struct canon *c)
{
	struct canon_item *it = &c->v[c->n - 1];

	it->content_len = c->text.n - it->content_off;
	it->len = c->text.n - it->off;
}

static void end(struct canon *c)
{
	struct canon_item *it = &c->v[c->n - 1];

	it->len = c->text.n - it->off;
}

/* ---- contents ---- */

static bool is_word(struct str raw, const char *const *words)
{
	for (; *words; words++)
		if (raw.n == strlen(*words) + 2 && memcmp(raw.p + 1, *words, raw.n - 2) == 0)
			return true;
	return false;
}

static int put_string(struct buf *out, struct str quoted)
{
	struct scan s = scan_of(quoted);

	scan_string(&s, out);
	return s.bad ? -1 : 0;
}

/* A text part counts by its text alone, however it is decorated. */
static int put_part(struct canon *c, struct str part)
{
	static const char *const texts[] = { "text", "input_text", "output_text", NULL };
	struct str type = { NULL, 0 }, text = { NULL, 0 }, key;
	struct scan s = scan_of(part);

	if (scan_peek(&s) == SCAN_STRING)
		return put_string(&c->text, part);
	if (scan_peek(&s) == SCAN_OBJECT) {
		scan_object(&s);
		while (scan_key(&s, &key)) {
			struct str value = scan_raw(&s);

			if (str_is(key, "type"))
				type = value;
			else if (str_is(key, "text"))
				text = value;
		}
	}
	if (text.n && *text.p == '"' && (!type.n || is_word(type, texts)))
		return put_string(&c->text, text);
	return compact_json(part, &c->text);
}

static int put_content(struct canon *c, struct str raw)
{
	struct scan s = scan_of(raw);
	int bad = 0;

	switch (scan_peek(&s)) {
	case SCAN_END:
	case SCAN_NULL:
		return 0;
	case SCAN_ARRAY:
		scan_array(&s);
		while (scan_item(&s))
			bad |= put_part(c, scan_raw(&s));
		return bad;
	default:
		return put_part(c, raw);
	}
}

static int add_item(struct canon *c, enum canon_kind kind, const char *role, struct str content)
{
	if (!content.p || *content.p == 'n')
		return 0;
	if (begin(c, kind, str_of(role)) < 0 || put_content(c, content) < 0)
		return -1;
	end_content(c);
	return 0;
}

static int add_compact(struct canon *c, enum canon_kind kind, const char *role, struct str value)
{
	if (!value.p || *value.p == 'n')
		return 0;
	if (begin(c, kind, str_of(role)) < 0 || compact_json(value, &c->text) < 0)
		return -1;
	end_content(c);
	return 0;
}

/* ---- messages ---- */

static enum canon_kind kind_of(struct str role)
{
	static const char *const system[] = { "system", "developer", NULL };
	static const char *const assistant[] = { "assistant", "model", "function_call", "reasoning", NULL };
	static const char *const user[] = { "user", NULL };

	if (!role.n)
		return CANON_OTHER;
	if (is_word(role, user))
		return CANON_USER;
	if (is_word(role, system))
		return CANON_SYSTEM;
	/* What a model does beside talking: web_search_call, computer_call, ... */
	if (is_word(role, assistant) || (role.n > 6 && memcmp(role.p + role.n - 6, "_call\"", 6) == 0))
		return CANON_ASSISTANT;
	return CANON_OTHER;
}

/* What clients put in or leave out when they send a message back, and what says nothing. */
static bool is_noise(struct str key, struct str value)
{
	static const char *const keys[] = {
		"role", "content", "id", "status", "type", "annotations", "cache_control", NULL,
	};

	for (const char *const *k = keys; *k; k++)
		if (str_is(key, *k))
			return true;
	return *value.p == 'n' || str_is(value, "[]") || str_is(value, "{}") || str_is(value, "\"\"");
}

static int put_members(struct canon *c, struct str message)
{
	struct scan s = scan_of(message);
	struct str key;
	int bad = 0;

	scan_object(&s);
	while (scan_key(&s, &key)) {
		struct str value = scan_raw(&s);

		if (!value.n || is_noise(key, value))
			continue;
		bad |= put_mark(c, FIELD);
		bad |= buf_add(&c->text, key.p, key.n);
		bad |= put_mark(c, FIELD);
		bad |= compact_json(value, &c->text);
	}
	return bad;
}

static struct str bare(struct str quoted)
{
	if (quoted.n < 2 || *quoted.p != '"')
		return (struct str){ "", 0 };
	return (struct str){ quoted.p + 1, quoted.n - 2 };
}

static int add_message(struct canon *c, struct str message)
{
	static const char *const skip[] = { "id", "status", NULL };
	struct str role = { NULL, 0 }, content = { NULL, 0 }, type = { NULL, 0 }, key;
	struct scan s = scan_of(message);

	if (scan_peek(&s) != SCAN_OBJECT)
		return add_item(c, CANON_USER, "user", message);
	scan_object(&s);
	while (scan_key(&s, &key)) {
		struct str value = scan_raw(&s);

		if (str_is(key, "role"))
			role = value;
		else if (str_is(key, "content"))
			content = value;
		else if (str_is(key, "type"))
			type = value;
	}
	/* A typed item that is no message: a call, its result, a reasoning. */
	if (!role.n) {
		if (begin(c, kind_of(type), bare(type)) < 0 || compact_without(message, skip, &c->text) < 0)
			return -1;
		/* It has no words of its own that could be compared with an answer. */
		end(c);
		return 0;
	}
	if (begin(c, kind_of(role), bare(role)) < 0 || put_content(c, content) < 0)
		return -1;
	end_content(c);
	if (put_members(c, message) < 0)
		return -1;
	end(c);
	return 0;
}

static int add_messages(struct canon *c, struct str list)
{
	struct scan s = scan_of(list);
	int bad = 0;

	if (!list.p || scan_peek(&s) != SCAN_ARRAY)
		return list.p ? add_item(c, CANON_USER, "user", list) : 0;
	scan_array(&s);
	while (scan_item(&s))
		bad |= add_message(c, scan_raw(&s));
	return bad;
}

/* ---- one reader per protocol ---- */

/* A text, or several (each an item of its own); token ids count by their numbers. */
static int read_prompt(struct canon *c, struct str prompt)
{
	struct scan s = scan_of(prompt);
	int bad = 0;

	if (scan_peek(&s) == SCAN_STRING) {
		if (!begin_bare(c, CANON_USER))
			return -1;
		bad = put_string(&c->text, prompt);
		end_content(c);
		c->appends = true;
		return bad;
	}
	if (scan_peek(&s) != SCAN_ARRAY || (prompt.n > 1 && prompt.p[1 + strspn(prompt.p + 1, " \t\r\n")] != '"'))
		return add_compact(c, CANON_USER, "user", prompt);
	scan_array(&s);
	while (scan_item(&s))
		bad |= add_item(c, CANON_USER, "user", scan_raw(&s));
	return bad;
}

static int read_completions(struct canon *c, const struct fields *f)
{
	if (f->prompt.p && read_prompt(c, f->prompt) < 0)
		return -1;
	if (f->suffix.p && *f->suffix.p != 'n')
		c->appends = false;
	return add_item(c, CANON_OTHER, "suffix", f->suffix);
}

static int read_messages(struct canon *c, const struct fields *f)
{
	int bad = add_compact(c, CANON_TOOLS, "tools", f->tools);

	bad |= add_compact(c, CANON_TOOLS, "functions", f->functions);
	bad |= add_item(c, CANON_SYSTEM, "system", f->system);
	return bad | add_messages(c, f->messages);
}

static int read_responses(struct canon *c, const struct fields *f)
{
	int bad = add_compact(c, CANON_TOOLS, "tools", f->tools);
	struct str id = f->conversation;

	bad |= add_item(c, CANON_SYSTEM, "system", f->instructions);
	bad |= add_messages(c, f->input);
	if (f->previous.p && *f->previous.p == '"')
		bad |= put_string(&c->previous, f->previous);
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
		bad |= put_string(&c->session, id);
	c->whole = c->previous.n == 0 && c->session.n == 0;
	return bad;
}

static int read_generate(struct canon *c, const struct fields *f)
{
	int bad = add_item(c, CANON_SYSTEM, "system", f->system);

	if (f->context.p && *f->context.p == '[' && f->context.n > 2)
		bad |= compact_json(f->context, &c->context);
	bad |= add_item(c, CANON_USER, "user", f->prompt);
	bad |= add_compact(c, CANON_OTHER, "images", f->images);
	c->whole = c->context.n == 0;
	return bad | add_item(c, CANON_OTHER, "suffix", f->suffix);
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

/* By the API's name; all others have messages. */
static const struct {
	const char *api;
	int (*read)(struct canon *c, const struct fields *f);
} readers[] = {
	{ "completions", read_completions }, { "responses", read_responses },
	{ "ollama_generate", read_generate }, { NULL, read_messages },
};

int canon_read(struct canon *c, enum api_kind api, struct str body)
{
	struct fields f;
	size_t i = 0;
	int bad;

	empty(c);
	if (read_fields(body, &f) < 0)
		return -1;
	while (readers[i].api && strcmp(readers[i].api, api_name(api)) != 0)
		i++;
	bad = readers[i].read(c, &f);
	if (bad)
		empty(c);
	return bad ? -1 : 0;
}
