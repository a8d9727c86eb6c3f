#include <config.h>

#include "record/compact.h"

#include "formats/base/digest.h"
#include "formats/wire/scan.h"

/* raw is between the quotes; base64 has no other escape than "\/".  There may be megabytes of it. */
static bool is_data(struct str raw)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-:;,.%\\";
	bool in[256] = { false };

	if (raw.n <= COMPACT_DATA)
		return false;
	for (const char *c = alphabet; *c; c++)
		in[(unsigned char)*c] = true;
	for (size_t i = 0; i < raw.n; i++)
		if (!in[(unsigned char)raw.p[i]])
			return false;
	return true;
}

static int put_string(struct str quoted, struct buf *out)
{
	struct str raw = { quoted.p + 1, quoted.n - 2 };
	char hex[DIGEST_HEX + 1];

	if (!is_data(raw))
		return buf_add(out, quoted.p, quoted.n);
	digest_bytes(raw.p, raw.n, hex);
	return buf_printf(out, "\"sha256:%s\"", hex);
}

static bool in_list(struct str key, const char *const *list)
{
	for (; list && *list; list++)
		if (str_is(key, *list))
			return true;
	return false;
}

static int put_value(struct scan *s, const char *const *skip, struct buf *out);

static int put_object(struct scan *s, const char *const *skip, struct buf *out)
{
	const char *comma = "";
	struct str key;
	int bad = buf_adds(out, "{");

	scan_object(s);
	while (scan_key(s, &key)) {
		if (str_is(key, "cache_control") || in_list(key, skip)) {
			scan_raw(s);
			continue;
		}
		bad |= buf_printf(out, "%s\"", comma);
		bad |= buf_add(out, key.p, key.n);
		bad |= buf_adds(out, "\":");
		bad |= put_value(s, NULL, out);
		comma = ",";
	}
	return bad | buf_adds(out, "}");
}

static int put_array(struct scan *s, struct buf *out)
{
	const char *comma = "";
	int bad = buf_adds(out, "[");

	scan_array(s);
	while (scan_item(s)) {
		bad |= buf_adds(out, comma);
		bad |= put_value(s, NULL, out);
		comma = ",";
	}
	return bad | buf_adds(out, "]");
}

/* Its depth is that of the text, which scan_raw() has bounded before. */
static int put_value(struct scan *s, const char *const *skip, struct buf *out)
{
	enum scan_type t = scan_peek(s);
	struct str raw;

	if (t == SCAN_OBJECT)
		return put_object(s, skip, out);
	if (t == SCAN_ARRAY)
		return put_array(s, out);
	raw = scan_raw(s);
	if (s->bad)
		return -1;
	return t == SCAN_STRING ? put_string(raw, out) : buf_add(out, raw.p, raw.n);
}

int compact_without(struct str object, const char *const *skip, struct buf *out)
{
	struct scan check = scan_of(object), s = scan_of(object);

	scan_raw(&check);
	if (!scan_at_end(&check))
		return -1;
	return put_value(&s, skip, out) || s.bad ? -1 : 0;
}

int compact_json(struct str value, struct buf *out)
{
	return compact_without(value, NULL, out);
}
