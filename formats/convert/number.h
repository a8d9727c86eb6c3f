/* Numbers as files write them, exact: no double in between. */
#ifndef CONVERT_NUMBER_H
#define CONVERT_NUMBER_H

#include <stdint.h>

#include "formats/base/str.h"

/* Lengths beyond this are mistakes; sums over any file that fits in memory stay exact. */
#define TOKENS_MAX INT64_C(1000000000)

/* "120", "120.0": a whole number of tokens up to TOKENS_MAX.  0 or -1. */
int number_tokens(struct str s, int64_t *out);

/* "12", "12.25", "1.5e3" times 10^shift, rounded to the nearest whole; at most 2^62.  0 or -1. */
int number_scaled(struct str s, int shift, int64_t *out);

/* "18446744073709551615": a whole number below 2^64.  0 or -1. */
int number_u64(struct str s, uint64_t *out);

#endif
