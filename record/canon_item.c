#include <config.h>

#include "record/canon_item.h"

#include <stdlib.h>

#include "formats/wire/scan.h"
#include "record/compact.h"

enum { ITEM = 0x1e, FIELD = 0x1f };

/* ---- items ---- */

static int put_mark(struct canon *c, char mark)
{
	return buf_add(&c->text, &mark, 1);
}

struct canon_item *canon_begin_bare(struct canon *c, enum canon_kind kind)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 32;
		struct canon_item *v = realloc(c->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		c->v = v;
		c->cap = cap;
	}
	c->v[c->n] = (struct canon_item){ .kind = kind, .off = c->text.n, .said_off = c->said.n };
	return &c->v[c->n++];
}

static int begin(struct canon *c, enum canon_kind kind, struct str role)
{
	int bad;

	if (!canon_begin_bare(c, kind))
		return -1;
	bad = put_mark(c, ITEM);
	bad |= buf_add(&c->text, role.p, role.n);
	return bad | put_mark(c, FIELD);
}

void canon_end(struct canon *c)
{
	struct canon_item *it = &c->v[c->n - 1];

	it->len = c->text.n - it->off;
	it->said_len = c->said.n - it->said_off;
}

/* ---- contents ---- */

static bool is_word(struct str raw, const char *const *words)
{
	for (; *words; words++)
		if (raw.n == strlen(*words) + 2 && memcmp(raw.p + 1, *words, raw.n - 2) == 0)
			return true;
	return false;
}

int canon_put_string(struct buf *out, struct str quoted)
{
	struct scan s = scan_of(quoted);

	scan_string(&s, out);
	return s.bad ? -1 : 0;
}

static int put_text(struct canon *c, struct str quoted)
{
	size_t at = c->text.n;

	if (canon_put_string(&c->text, quoted) < 0)
		return -1;
	if (c->v[c->n - 1].kind != CANON_ASSISTANT)
		return 0;
	return buf_add(&c->said, c->text.p + at, c->text.n - at);
}

/* A text part counts by its text alone, however it is decorated. */
static int put_part(struct canon *c, struct str part)
{
	static const char *const texts[] = { "text", "input_text", "output_text", NULL };
	struct str type = { NULL, 0 }, text = { NULL, 0 }, key;
	struct scan s = scan_of(part);

	if (scan_peek(&s) == SCAN_STRING)
		return put_text(c, part);
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
		return put_text(c, text);
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

int canon_add_item(struct canon *c, enum canon_kind kind, const char *role, struct str content)
{
	if (!content.p || *content.p == 'n')
		return 0;
	if (begin(c, kind, str_of(role)) < 0 || put_content(c, content) < 0)
		return -1;
	canon_end(c);
	return 0;
}

int canon_add_compact(struct canon *c, enum canon_kind kind, const char *role, struct str value)
{
	if (!value.p || *value.p == 'n')
		return 0;
	if (begin(c, kind, str_of(role)) < 0 || compact_json(value, &c->text) < 0)
		return -1;
	canon_end(c);
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
		return canon_add_item(c, CANON_USER, "user", message);
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
		canon_end(c);
		return 0;
	}
	if (begin(c, kind_of(role), bare(role)) < 0 || put_content(c, content) < 0)
		return -1;
	if (put_members(c, message) < 0)
		return -1;
	canon_end(c);
	return 0;
}

int canon_add_messages(struct canon *c, struct str list)
{
	struct scan s = scan_of(list);
	int bad = 0;

	if (!list.p || scan_peek(&s) != SCAN_ARRAY)
		return list.p ? canon_add_item(c, CANON_USER, "user", list) : 0;
	scan_array(&s);
	while (scan_item(&s))
		bad |= add_message(c, scan_raw(&s));
	return bad;
}
