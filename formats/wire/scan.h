/*
 * A cursor over JSON text (RFC 8259): one pass, no tree, nothing allocated.  For the few
 * keys that a token event is made of, where a document parser costs more than all else.
 * Bytes that are no valid UTF-8 inside strings are kept as they are.
 */
#ifndef WIRE_SCAN_H
#define WIRE_SCAN_H

#include <stdint.h>

#include "formats/base/buf.h"

enum { SCAN_KEY_MAX = 64 };

struct scan {
	const char *p, *end;
	bool first; /* nothing was read of the innermost open object or array */
	bool bad;   /* the text is no JSON, or not of the asked type: sticky */
	char key[SCAN_KEY_MAX]; /* the last key, if it was written with escapes */
};

static inline struct scan scan_of(struct str s)
{
	const char *p = s.p ? s.p : ""; /* an absent text reads as an empty one */

	return (struct scan){ .p = p, .end = p + s.n };
}

enum scan_type { SCAN_OBJECT, SCAN_ARRAY, SCAN_STRING, SCAN_NUMBER, SCAN_BOOL, SCAN_NULL, SCAN_END };
/* What the next value is, by its first byte; SCAN_END at the end of the text. */
enum scan_type scan_peek(struct scan *s);

/* Enters; then call scan_key() / scan_item() until it says false. */
void scan_object(struct scan *s);
void scan_array(struct scan *s);
/*
 * The next key; false at '}' or when bad.  Read or skip its value before the next call.
 * Escapes are decoded, except in a key longer than SCAN_KEY_MAX: none that we know is.
 */
bool scan_key(struct scan *s, struct str *key);
bool scan_item(struct scan *s);

/* Steps over one value of any type and returns its text. */
struct str scan_raw(struct scan *s);
/* Appends the string's characters, escapes decoded; a lone surrogate becomes U+FFFD. */
void scan_string(struct scan *s, struct buf *out);
/* A whole number; a fraction or exponent is cut off. */
int64_t scan_int(struct scan *s);
/* True if only white space is left. */
bool scan_at_end(struct scan *s);

#endif
