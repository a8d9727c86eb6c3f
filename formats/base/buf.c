#include <config.h>

#include "formats/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

int buf_reserve(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 64;
	char *p;

	if (n > b->max || b->n > b->max - n)
		return -1;
	if (b->n + n <= b->cap)
		return 0;
	while (cap < b->n + n)
		cap *= 2;
	p = realloc(b->p, cap);
	if (!p)
		return -1;
	b->p = p;
	b->cap = cap;
	return 0;
}

void buf_shrink(struct buf *b)
{
	char *p = b->n ? realloc(b->p, b->n) : NULL;

	if (!p)
		return;
	b->p = p;
	b->cap = b->n;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return 0;
	if (buf_reserve(b, n) < 0)
		return -1;
	memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	/* One byte more than counted, for the NUL that vsnprintf insists on. */
	if (n < 0 || buf_reserve(b, (size_t)n + 1) < 0)
		return -1;
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
	return 0;
}

void buf_consume(struct buf *b, size_t n)
{
	if (n == 0)
		return;
	memmove(b->p, b->p + n, b->n - n);
	b->n -= n;
}

const char *buf_cstr(struct buf *b)
{
	if (buf_reserve(b, 1) < 0)
		return "";
	b->p[b->n] = '\0';
	return b->p;
}
