/* UTF-8, as the Unicode standard's table 3-7 defines well-formed sequences. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdint.h>

#include "formats/base/str.h"

/*
 * Bytes of the character at s.p[0] and its code point; 0 if the bytes there are no
 * well-formed character (or s is empty).  cp may be NULL.
 */
size_t utf8_decode(struct str s, uint32_t *cp);
bool utf8_valid(struct str s);
/* Writes 1 to 4 bytes; a surrogate or a value past U+10FFFF becomes U+FFFD. */
size_t utf8_encode(uint32_t cp, char out[4]);

#endif
