#include <config.h>

#include "plot/script.h"

#include <stdarg.h>
#include <stdio.h>

#include "plot/escape.h"

enum { MAX_BYTES = 64 << 20, MAX_LINE = 1024 };

void script_init(struct script *s)
{
	buf_init(&s->gp, MAX_BYTES);
	buf_init(&s->data, MAX_BYTES);
	buf_init(&s->remarks, MAX_BYTES);
	s->failed = false;
}

void script_release(struct script *s)
{
	buf_release(&s->gp);
	buf_release(&s->data);
	buf_release(&s->remarks);
}

__attribute__((format(printf, 3, 0)))
static void add(struct script *s, struct buf *b, const char *fmt, va_list ap)
{
	char line[MAX_LINE];
	int n = vsnprintf(line, sizeof(line), fmt, ap);

	if (n < 0 || (size_t)n >= sizeof(line) || buf_add(b, line, (size_t)n) < 0)
		s->failed = true;
}

void script_gp(struct script *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(s, &s->gp, fmt, ap);
	va_end(ap);
}

void script_data(struct script *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(s, &s->data, fmt, ap);
	va_end(ap);
}

void script_quoted(struct script *s, const char *text, size_t max_cols)
{
	if (escape_quoted(&s->gp, str_of(text), max_cols) < 0)
		s->failed = true;
}

void script_comment(struct script *s, const char *text)
{
	if (escape_clean(&s->data, str_of(text), MAX_LINE) < 0)
		s->failed = true;
}

void script_remark(struct script *s, const char *text)
{
	if (buf_adds(&s->remarks, text) < 0 || buf_adds(&s->remarks, "\n") < 0)
		s->failed = true;
}
