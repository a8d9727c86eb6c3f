#include <config.h>

#include "analyze/texts.h"

#include "formats/base/utf8.h"

enum { TEXT_MAX = 1 << 30 };

void texts_join(const struct events *ev, enum event_class cls, int32_t choice, struct buf *out)
{
	struct events_iter it = { 0 };
	struct event e;

	while (events_next(ev, &it, &e))
		if (e.cls == cls && e.choice == choice && e.text.p)
			buf_add(out, e.text.p, e.text.n);
}

/* Bytes that are no text become U+FFFD: JSON has no other way to say them. */
static void clean(struct str s, struct buf *out)
{
	while (s.n) {
		size_t k = utf8_decode(s, NULL);

		if (k)
			buf_add(out, s.p, k);
		else
			buf_adds(out, "\xef\xbf\xbd");
		s.p += k ? k : 1;
		s.n -= k ? k : 1;
	}
}

json_t *texts_string(struct str s)
{
	struct buf b;
	json_t *v = json_stringn(s.p ? s.p : "", s.n);

	if (v)
		return v;
	buf_init(&b, TEXT_MAX);
	clean(s, &b);
	v = json_stringn(b.p ? b.p : "", b.n);
	buf_release(&b);
	return v;
}

static json_t *entry_of(struct str raw)
{
	json_t *entry = json_loadb(raw.p ? raw.p : "", raw.n, JSON_ALLOW_NUL, NULL);
	struct buf b;

	if (entry || utf8_valid(raw))
		return entry;
	buf_init(&b, TEXT_MAX);
	clean(raw, &b);
	entry = json_loadb(b.p ? b.p : "", b.n, JSON_ALLOW_NUL, NULL);
	buf_release(&b);
	return entry;
}

/* The call with this index, made if it is new. */
static json_t *call_of(json_t *calls, const json_t *index)
{
	json_t *c;
	size_t i;

	json_array_foreach(calls, i, c)
		if (json_equal(json_object_get(c, "index"), index))
			return c;
	c = json_pack("{s:O,s:n,s:n,s:s}", "index", index, "id", "name", "arguments", "");
	json_array_append_new(calls, c);
	return c;
}

static void append_text(json_t *o, const char *key, const json_t *piece)
{
	const json_t *old = json_object_get(o, key);
	struct buf b;

	if (!json_is_string(piece))
		return;
	buf_init(&b, TEXT_MAX);
	buf_add(&b, json_string_value(old), json_string_length(old));
	buf_add(&b, json_string_value(piece), json_string_length(piece));
	json_object_set_new(o, key, json_stringn(b.p ? b.p : "", b.n));
	buf_release(&b);
}

static void add_entry(json_t *calls, struct str raw)
{
	json_t *entry = entry_of(raw), *index, *call, *fn, *own = NULL;

	if (!json_is_object(entry)) {
		json_decref(entry);
		return;
	}
	index = json_object_get(entry, "index");
	if (!json_is_integer(index))
		index = own = json_integer((json_int_t)json_array_size(calls));
	call = call_of(calls, index);
	fn = json_object_get(entry, "function");
	if (json_is_string(json_object_get(entry, "id")))
		json_object_set(call, "id", json_object_get(entry, "id"));
	if (json_string_length(json_object_get(fn, "name")))
		append_text(call, "name", json_object_get(fn, "name"));
	append_text(call, "arguments", json_object_get(fn, "arguments"));
	json_decref(own);
	json_decref(entry);
}

json_t *texts_tool_calls(const struct events *ev, int32_t choice)
{
	json_t *calls = json_array();
	struct events_iter it = { 0 };
	struct event e;

	while (events_next(ev, &it, &e))
		/* An empty event with text may be an entry of which only the id is said. */
		if ((e.cls == EV_TOOL || e.cls == EV_EMPTY) && e.choice == choice)
			add_entry(calls, e.text);
	return calls;
}
