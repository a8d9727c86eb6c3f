/*
 * Growing bytes with a ceiling.  Every buffer names its ceiling when it is made, so
 * that bytes from outside can never take all memory.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

#include "formats/base/str.h"

struct buf {
	char *p;     /* owned; not NUL-terminated unless buf_cstr() was called */
	size_t n;    /* bytes in use */
	size_t cap;
	size_t max;  /* ceiling in bytes; growing past it fails */
};

void buf_init(struct buf *b, size_t max);
/* Frees the bytes; the buffer is empty and usable again, with the same ceiling. */
void buf_release(struct buf *b);
/* Empties without giving memory back. */
static inline void buf_clear(struct buf *b)
{
	b->n = 0;
}

/* Makes room for n more bytes.  0, or -1: past the ceiling or out of memory. */
int buf_reserve(struct buf *b, size_t n);
/* Gives back what is not in use. */
void buf_shrink(struct buf *b);
/* Appends.  0 or -1 as buf_reserve(); on -1 nothing was appended. */
int buf_add(struct buf *b, const void *p, size_t n);
int buf_adds(struct buf *b, const char *s);
int buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Drops the first n bytes. */
void buf_consume(struct buf *b, size_t n);
/* NUL-terminates (the NUL is not counted) and returns the bytes; "" if that fails. */
const char *buf_cstr(struct buf *b);

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

#endif
