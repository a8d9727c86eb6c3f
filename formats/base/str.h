/*
 * Borrowed bytes with a length: p == NULL means absent, n == 0 with p set means
 * empty.  Whoever hands out a struct str says how long it stays valid.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

/* Wraps a C string; NULL becomes absent. */
static inline struct str str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static inline bool str_is(struct str s, const char *c)
{
	return s.p && s.n == strlen(c) && memcmp(s.p, c, s.n) == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
	return !a.p == !b.p && a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

#endif
