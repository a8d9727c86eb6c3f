#include <config.h>

#include "formats/wire/scan.h"

#include "formats/base/utf8.h"

enum { DEPTH_MAX = 512 };

static void space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

static bool fail(struct scan *s)
{
	s->bad = true;
	s->p = s->end;
	return false;
}

static bool take(struct scan *s, char c)
{
	space(s);
	if (s->p >= s->end || *s->p != c)
		return fail(s);
	s->p++;
	return true;
}

enum scan_type scan_peek(struct scan *s)
{
	space(s);
	if (s->p >= s->end)
		return SCAN_END;
	switch (*s->p) {
	case '{': return SCAN_OBJECT;
	case '[': return SCAN_ARRAY;
	case '"': return SCAN_STRING;
	case 't': case 'f': return SCAN_BOOL;
	case 'n': return SCAN_NULL;
	default: return SCAN_NUMBER;
	}
}

static bool is_plain(char c)
{
	return c != '"' && c != '\\' && (unsigned char)c >= 0x20;
}

/*
 * The same for eight bytes at once: strings are most of a chunk.  A byte below n sets its high
 * bit in (word - n * ones) & ~word; equal bytes are zero, so below one, after the XOR.
 */
static bool all_plain(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;
	uint64_t word, quote, slash;

	memcpy(&word, p, sizeof(word));
	quote = word ^ '"' * ones;
	slash = word ^ '\\' * ones;
	return !((((word - 0x20 * ones) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & high);
}

/* From the opening quote to behind the closing one; the raw text between. */
static struct str raw_string(struct scan *s)
{
	const char *start;

	if (!take(s, '"'))
		return (struct str){ s->end, 0 };
	start = s->p;
	for (;;) {
		while (s->end - s->p >= 8 && all_plain(s->p))
			s->p += 8;
		while (s->p < s->end && is_plain(*s->p))
			s->p++;
		if (s->end - s->p < 2 || *s->p != '\\')
			break;
		s->p += 2;
	}
	if (s->p >= s->end || *s->p != '"') {
		fail(s);
		return (struct str){ s->end, 0 };
	}
	return (struct str){ start, (size_t)(s->p++ - start) };
}

void scan_object(struct scan *s)
{
	if (take(s, '{'))
		s->first = true;
}

void scan_array(struct scan *s)
{
	if (take(s, '['))
		s->first = true;
}

/* Between two elements, or at the end of an object or array: false there. */
static bool another(struct scan *s, char close)
{
	bool first = s->first;

	space(s);
	s->first = false;
	if (s->bad || s->p >= s->end)
		return fail(s);
	if (*s->p == close) {
		s->p++;
		return false;
	}
	if (first)
		return true;
	return take(s, ',');
}

bool scan_item(struct scan *s)
{
	return another(s, ']');
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* The \uXXXX at p (behind the 'u'), with its low surrogate if it has one; bytes used, or 0. */
static size_t unicode(const char *p, size_t n, uint32_t *cp)
{
	int high = n < 4 ? -1 : hex4(p), low;

	if (high < 0)
		return 0;
	*cp = (uint32_t)high;
	if (high < 0xd800 || high > 0xdbff || n < 10 || p[4] != '\\' || p[5] != 'u')
		return 4;
	low = hex4(p + 6);
	if (low < 0xdc00 || low > 0xdfff)
		return 4;
	*cp = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
	return 10;
}

/* The escape behind the backslash at p; bytes used, or 0 if it is none. */
static size_t escape(const char *p, size_t n, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = n && *p ? strchr(from, *p) : NULL;
	char utf8[4];
	uint32_t cp;
	size_t used;

	if (at) {
		if (out)
			buf_add(out, to + (at - from), 1);
		return 1;
	}
	if (n < 5 || *p != 'u')
		return 0;
	used = unicode(p + 1, n - 1, &cp);
	if (used && out)
		buf_add(out, utf8, utf8_encode(cp, utf8));
	return used ? used + 1 : 0;
}

/* Decodes raw string text; with out NULL it only checks.  False: a bad escape. */
static bool decode(struct str raw, struct buf *out)
{
	while (raw.n) {
		const char *slash = memchr(raw.p, '\\', raw.n);
		size_t plain = slash ? (size_t)(slash - raw.p) : raw.n, used;

		if (out && buf_add(out, raw.p, plain) < 0)
			return false;
		raw.p += plain;
		raw.n -= plain;
		if (!slash)
			break;
		used = escape(raw.p + 1, raw.n - 1, out);
		if (used == 0)
			return false;
		raw.p += 1 + used;
		raw.n -= 1 + used;
	}
	return true;
}

static void decode_key(struct scan *s, struct str *key)
{
	struct buf b;

	buf_init(&b, SCAN_KEY_MAX);
	if (!decode(*key, NULL)) {
		fail(s);
	} else if (decode(*key, &b) && b.n) {
		memcpy(s->key, b.p, b.n);
		*key = (struct str){ s->key, b.n };
	}
	buf_release(&b);
}

bool scan_key(struct scan *s, struct str *key)
{
	if (!another(s, '}'))
		return false;
	*key = raw_string(s);
	if (!s->bad && memchr(key->p, '\\', key->n))
		decode_key(s, key);
	return !s->bad && take(s, ':');
}

void scan_string(struct scan *s, struct buf *out)
{
	struct str raw = raw_string(s);

	if (!s->bad && !decode(raw, out))
		fail(s);
}

static bool digits(struct scan *s)
{
	const char *start = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > start;
}

static void number(struct scan *s)
{
	if (s->p < s->end && *s->p == '-')
		s->p++;
	if (s->p < s->end && *s->p == '0')
		s->p++;
	else if (!digits(s))
		fail(s);
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if (!digits(s))
			fail(s);
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		if (!digits(s))
			fail(s);
	}
}

static void literal(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null", NULL };

	for (const char *const *w = words; *w; w++) {
		size_t n = strlen(*w);

		if ((size_t)(s->end - s->p) >= n && memcmp(s->p, *w, n) == 0) {
			s->p += n;
			return;
		}
	}
	fail(s);
}

static void scalar(struct scan *s, enum scan_type t)
{
	if (t == SCAN_STRING) {
		if (!decode(raw_string(s), NULL))
			fail(s);
	} else if (t == SCAN_NUMBER) {
		number(s);
	} else if (t == SCAN_END) {
		fail(s);
	} else {
		literal(s);
	}
}

/* Opens, closes and reads scalars by one loop with its own stack: depth costs no C stack. */
struct str scan_raw(struct scan *s)
{
	char close[DEPTH_MAX];
	size_t depth = 0;
	const char *start;

	space(s);
	start = s->p;
	do {
		enum scan_type t = scan_peek(s);
		struct str key;
		bool more;

		if (t == SCAN_OBJECT || t == SCAN_ARRAY) {
			if (depth == DEPTH_MAX) {
				fail(s);
				break;
			}
			close[depth++] = t == SCAN_OBJECT ? '}' : ']';
			s->p++;
			s->first = true;
		} else {
			scalar(s, t);
			s->first = false;
		}
		more = false;
		while (depth && !s->bad && !more) {
			more = close[depth - 1] == '}' ? scan_key(s, &key) : scan_item(s);
			depth -= !more;
		}
	} while (depth && !s->bad);
	return s->bad ? (struct str){ s->end, 0 } : (struct str){ start, (size_t)(s->p - start) };
}

int64_t scan_int(struct scan *s)
{
	bool minus;
	int64_t v = 0;
	const char *p;

	if (scan_peek(s) != SCAN_NUMBER) {
		fail(s);
		return 0;
	}
	p = s->p;
	number(s);
	if (s->bad)
		return 0;
	minus = *p == '-';
	for (p += minus; p < s->p && *p >= '0' && *p <= '9'; p++)
		if (v < INT64_MAX / 10 - 1)
			v = v * 10 + (*p - '0');
	return minus ? -v : v;
}

bool scan_at_end(struct scan *s)
{
	space(s);
	return !s->bad && s->p >= s->end;
}
