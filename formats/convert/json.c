#include <config.h>

#include "formats/convert/json.h"

#include <inttypes.h>
#include <math.h>

#include "formats/base/clock.h"
#include "formats/base/utf8.h"

static void put(struct json *j, const void *p, size_t n)
{
	if (buf_add(j->out, p, n) < 0)
		j->failed = true;
}

static void puts_raw(struct json *j, const char *s)
{
	put(j, s, strlen(s));
}

static void escaped(struct json *j, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = memchr(from, c, sizeof(from) - 1);

	if (at)
		j->failed |= buf_printf(j->out, "\\%c", to[at - from]) < 0;
	else
		j->failed |= buf_printf(j->out, "\\u%04x", c) < 0;
}

/* What stands between the quotes.  A wrong byte becomes U+FFFD; false if there was one. */
static bool inside(struct json *j, struct str s)
{
	bool valid = true;

	while (s.n) {
		unsigned char c = (unsigned char)*s.p;
		size_t n = utf8_decode(s, NULL);

		if (n == 0) {
			puts_raw(j, "\\ufffd");
			valid = false;
			n = 1;
		} else if (c < 0x20 || c == 0x7f || c == '"' || c == '\\') {
			escaped(j, c);
		} else {
			put(j, s.p, n);
		}
		s.p += n;
		s.n -= n;
	}
	return valid;
}

static bool quoted(struct json *j, struct str s)
{
	bool valid;

	puts_raw(j, "\"");
	valid = inside(j, s);
	puts_raw(j, "\"");
	return valid;
}

static void comma(struct json *j)
{
	if (j->comma)
		puts_raw(j, ",");
	j->comma = true;
}

static void name_of(struct json *j, struct str key, const char *suffix)
{
	comma(j);
	puts_raw(j, "\"");
	inside(j, key);
	puts_raw(j, suffix);
	puts_raw(j, "\":");
}

static void name(struct json *j, const char *key)
{
	name_of(j, str_of(key), "");
}

void json_open(struct json *j, const char *key, char bracket)
{
	if (key)
		name(j, key);
	else
		comma(j);
	put(j, &bracket, 1);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	put(j, &bracket, 1);
	j->comma = true;
}

void json_count_or_null(struct json *j, const char *key, int64_t v)
{
	name(j, key);
	if (v == COUNT_NONE)
		puts_raw(j, "null");
	else
		j->failed |= buf_printf(j->out, "%" PRId64, v) < 0;
}

void json_pair_num(struct json *j, struct str key, double v)
{
	name_of(j, key, "");
	if (!isfinite(v))
		puts_raw(j, "null");
	else
		j->failed |= buf_printf(j->out, "%.15g", v + 0.0) < 0;
}

void json_num_or_null(struct json *j, const char *key, double v)
{
	json_pair_num(j, str_of(key), v);
}

void json_count(struct json *j, const char *key, int64_t v)
{
	if (v != COUNT_NONE)
		json_count_or_null(j, key, v);
}

void json_ns(struct json *j, const char *key, int64_t v)
{
	if (v == NS_NONE)
		return;
	name(j, key);
	j->failed |= buf_printf(j->out, "%" PRId64, v) < 0;
}

void json_num(struct json *j, const char *key, double v)
{
	if (isfinite(v))
		json_num_or_null(j, key, v);
}

void json_bool(struct json *j, const char *key, bool v)
{
	name(j, key);
	puts_raw(j, v ? "true" : "false");
}

static void base64(struct json *j, struct str key, struct str s)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	name_of(j, key, "_base64");
	puts_raw(j, "\"");
	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		unsigned a = (unsigned char)s.p[i];
		unsigned b = left > 1 ? (unsigned char)s.p[i + 1] : 0;
		unsigned c = left > 2 ? (unsigned char)s.p[i + 2] : 0;
		const char four[4] = {
			digit[a >> 2],
			digit[(a & 3) << 4 | b >> 4],
			left > 1 ? digit[(b & 15) << 2 | c >> 6] : '=',
			left > 2 ? digit[c & 63] : '=',
		};

		put(j, four, sizeof(four));
	}
	puts_raw(j, "\"");
}

void json_pair(struct json *j, struct str key, struct str s)
{
	if (!s.p)
		return;
	name_of(j, key, "");
	if (!quoted(j, s))
		base64(j, key, s);
}

void json_text(struct json *j, const char *key, struct str s)
{
	json_pair(j, str_of(key), s);
}

void json_bytes(struct json *j, const char *key, struct str s)
{
	if (!s.p)
		return;
	if (utf8_valid(s))
		json_text(j, key, s);
	else
		base64(j, str_of(key), s);
}

void json_item_u64(struct json *j, uint64_t v)
{
	comma(j);
	j->failed |= buf_printf(j->out, "%" PRIu64, v) < 0;
}

void json_item_text(struct json *j, struct str s)
{
	comma(j);
	quoted(j, s);
}
