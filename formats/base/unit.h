/*
 * Numbers with units, as people type them and as tables print them.
 */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include <stddef.h>
#include <stdint.h>

/*
 * "8k", "1.5M", "24576" -> count.  k = 1024, m/M = 1024^2, g/G = 1024^3: token counts
 * and sizes are powers of two in this field (an "8k" context is 8192 tokens).
 * 0, or -1: not a number, negative, a fraction that is not whole, or too large.
 */
int unit_parse_count(const char *s, int64_t *out);

/* "30s", "1.5ms", "250us", "10ns", "2m", "1h"; a bare number is seconds.  Whole ns. */
int unit_parse_ns(const char *s, int64_t *out);

/* A finite number, the whole string. */
int unit_parse_double(const char *s, double *out);

#endif
