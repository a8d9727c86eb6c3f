/* Our one-pass JSON reader against jansson: what jansson reads, the scanner reads, with the same strings and numbers. */
#include <config.h>

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/wire/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int ok)
{
	if (!ok)
		abort();
}

static void compare(struct scan *s, const json_t *v);

static void compare_object(struct scan *s, const json_t *v)
{
	struct str key;

	scan_object(s);
	while (scan_key(s, &key)) {
		struct str raw;
		struct scan inner, k = scan_of((struct str){ key.p - 1, key.n + 2 });
		struct buf name;
		const json_t *member;

		buf_init(&name, 1 << 20);
		scan_string(&k, &name);
		member = json_object_getn(v, name.p ? name.p : "", name.n);
		buf_release(&name);
		need(member != NULL);
		raw = scan_raw(s);
		need(!s->bad);
		inner = scan_of(raw);
		compare(&inner, member);
	}
}

static void compare(struct scan *s, const json_t *v)
{
	struct buf b;
	size_t i = 0;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		compare_object(s, v);
		break;
	case JSON_ARRAY:
		scan_array(s);
		while (scan_item(s))
			compare(s, json_array_get(v, i++));
		need(i == json_array_size(v));
		break;
	case JSON_STRING:
		buf_init(&b, 1 << 20);
		scan_string(s, &b);
		need(str_eq(buf_str(&b), (struct str){ json_string_value(v), json_string_length(v) }));
		buf_release(&b);
		break;
	case JSON_INTEGER:
		if (llabs(json_integer_value(v)) < INT64_C(1000000000000000))
			need(scan_int(s) == json_integer_value(v));
		else
			scan_raw(s);
		break;
	default:
		scan_raw(s);
	}
	need(!s->bad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan s = scan_of((struct str){ (const char *)data, size });
	json_t *v;

	/* jansson takes a NUL behind a value for the end of the text; no event has one. */
	if (memchr(data, '\0', size))
		return 0;
	/* Duplicate keys: jansson keeps the last, so only texts without them can be compared member by member. */
	v = json_loadb((const char *)data, size, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);

	if (v) {
		compare(&s, v);
		need(scan_at_end(&s));
	} else {
		scan_raw(&s);
	}
	json_decref(v);
	return 0;
}
