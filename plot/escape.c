#include <config.h>

#include "plot/escape.h"

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/utf8.h"

enum { REPLACEMENT = 0xFFFD };

static const char ellipsis[] = "\xE2\x80\xA6";

struct range {
	uint32_t lo, hi;
};

static bool in_ranges(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].lo && c <= r[i].hi)
			return true;
	return false;
}

/* Controls, line and paragraph separators, and marks that reorder or hide text. */
static bool is_blanked(uint32_t c)
{
	static const struct range r[] = {
		{ 0x00, 0x1F }, { 0x7F, 0x9F }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
		{ 0x2060, 0x206F }, { 0xFEFF, 0xFEFF },
	};
	return in_ranges(c, r, sizeof(r) / sizeof(*r));
}

/* The blocks that Unicode's EastAsianWidth.txt gives as wide, in rough. */
static int columns_of(uint32_t c)
{
	static const struct range wide[] = {
		{ 0x1100, 0x115F }, { 0x2E80, 0xA4CF }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF },
		{ 0xFE30, 0xFE6F }, { 0xFF00, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1F64F },
		{ 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
	};
	return in_ranges(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

/* Takes one character off the text; a byte that fits nowhere is U+FFFD. */
static uint32_t next_char(struct str *t)
{
	uint32_t c = REPLACEMENT;
	size_t n = utf8_decode(*t, &c);

	if (n == 0)
		n = 1;
	t->p += n;
	t->n -= n;
	return (c & 0xFFFE) == 0xFFFE ? REPLACEMENT : c; /* no character, in XML neither */
}

static int put_char(struct buf *b, uint32_t c)
{
	char u[4];

	return buf_add(b, u, utf8_encode(c, u));
}

/* put: one cleaned character with its columns; a nonzero return ends the walk. */
static int each_clean(struct str t, int (*put)(void *arg, uint32_t c), void *arg)
{
	uint32_t a = 0, b = 0;
	int rc = 0;

	while (t.p && t.n > 0 && rc == 0) {
		uint32_t c = next_char(&t);

		if (is_blanked(c))
			c = ' ';
		if (a == ']' && b == ']' && c == '>')
			rc = put(arg, ' ');
		if (rc == 0)
			rc = put(arg, c);
		a = b;
		b = c;
	}
	return rc;
}

static int count_char(void *arg, uint32_t c)
{
	*(size_t *)arg += (size_t)columns_of(c);
	return 0;
}

size_t escape_columns(struct str text)
{
	size_t cols = 0;

	each_clean(text, count_char, &cols);
	return cols;
}

struct cutter {
	struct buf *b;
	size_t left;     /* columns */
	bool quoted;
};

enum { CUT = 1 };

static int add_char(void *arg, uint32_t c)
{
	struct cutter *k = arg;
	size_t w = (size_t)columns_of(c);

	if (w > k->left)
		return CUT;
	k->left -= w;
	if (k->quoted && c == '\'' && buf_add(k->b, "'", 1) < 0)
		return -1;
	return put_char(k->b, c);
}

static int add_text(struct buf *b, struct str text, size_t max_cols, bool quoted)
{
	bool cut = escape_columns(text) > max_cols;
	struct cutter k = { b, cut && max_cols > 0 ? max_cols - 1 : max_cols, quoted };

	if (each_clean(text, add_char, &k) < 0)
		return -1;
	return cut && max_cols > 0 ? buf_adds(b, ellipsis) : 0;
}

int escape_clean(struct buf *b, struct str text, size_t max_cols)
{
	return add_text(b, text, max_cols, false);
}

int escape_quoted(struct buf *b, struct str text, size_t max_cols)
{
	if (buf_adds(b, "'") < 0 || add_text(b, text, max_cols, true) < 0)
		return -1;
	return buf_adds(b, "'");
}
