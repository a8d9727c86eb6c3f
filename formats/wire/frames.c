#include <config.h>

#include "formats/wire/frames.h"

void frames_init(struct frames *f, size_t max, frames_fn fn, void *arg)
{
	*f = (struct frames){ .fn = fn, .arg = arg };
	buf_init(&f->value, max);
}

void frames_release(struct frames *f)
{
	buf_release(&f->value);
}

static int give(struct frames *f)
{
	int rc = f->fn(f->arg, buf_str(&f->value)) ? -1 : 0;

	buf_clear(&f->value);
	f->depth = 0;
	f->in_string = f->escaped = false;
	return rc;
}

/* True if the value ends behind this byte. */
static bool ends(struct frames *f, char c)
{
	if (f->escaped) {
		f->escaped = false;
	} else if (f->in_string) {
		f->escaped = c == '\\';
		f->in_string = c != '"';
	} else if (c == '"') {
		f->in_string = true;
	} else if (c == '{' || c == '[') {
		f->depth++;
	} else if ((c == '}' || c == ']') && f->depth) {
		return --f->depth == 0;
	}
	return false;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * A raw line feed inside a string is no JSON, and outside of brackets it ends whatever
 * stood on the line: after a broken line the next one is read again.
 */
static bool line_ends(const struct frames *f, char c)
{
	return c == '\n' && (f->in_string || f->depth == 0);
}

int frames_feed(struct frames *f, const char *p, size_t n)
{
	const char *end = p + n, *from = p;

	for (; p < end; p++) {
		bool done;

		if (f->value.n == 0 && from == p && blank(*p)) {
			from = p + 1;
			continue;
		}
		done = line_ends(f, *p) || ends(f, *p);
		if (!done)
			continue;
		if (buf_add(&f->value, from, (size_t)(p - from) + !blank(*p)) < 0 || give(f) < 0)
			return -1;
		from = p + 1;
	}
	return buf_add(&f->value, from, (size_t)(end - from));
}
