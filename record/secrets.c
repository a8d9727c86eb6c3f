#include <config.h>

#include "record/secrets.h"

#include "formats/base/secret.h"

enum { VALUE_MIN = 4 }; /* a shorter one would blot out innocent text */

void secrets_init(struct secrets *s)
{
	buf_init(&s->values, 1 << 16);
}

void secrets_release(struct secrets *s)
{
	buf_release(&s->values);
}

static void add(struct secrets *s, const char *p, size_t n)
{
	if (n < VALUE_MIN)
		return;
	buf_add(&s->values, p, n);
	buf_add(&s->values, "", 1);
}

void secrets_add_header(struct secrets *s, const char *line)
{
	const char *colon = strchr(line, ':'), *value, *last;

	if (!colon || !secret_name((struct str){ line, (size_t)(colon - line) }))
		return;
	value = colon + 1 + strspn(colon + 1, " \t");
	add(s, value, strlen(value));
	last = strrchr(value, ' ');
	if (last)
		add(s, last + 1, strlen(last + 1));
	/* Cookies: "a=1; b=2". */
	for (last = strchr(value, '='); last; last = strchr(last + 1, '='))
		add(s, last + 1, strcspn(last + 1, ";"));
}

/* A part of a URL, as it stands there and as an engine reads it. */
static void add_part(struct secrets *s, const char *p, size_t n)
{
	struct buf plain;

	buf_init(&plain, n + 1);
	secret_unescape((struct str){ p, n }, &plain);
	add(s, p, n);
	if (!str_eq(buf_str(&plain), (struct str){ p, n }))
		add(s, plain.p, plain.n);
	buf_release(&plain);
}

void secrets_add_url(struct secrets *s, const char *url)
{
	const char *q = strchr(url, '?'), *at, *host = strstr(url, "://");

	at = host ? memrchr(host + 3, '@', strcspn(host + 3, "/?")) : NULL;
	if (at) {
		const char *colon = memchr(host + 3, ':', (size_t)(at - host - 3));

		add_part(s, host + 3, (size_t)(at - host - 3));
		if (colon)
			add_part(s, colon + 1, (size_t)(at - colon - 1));
	}
	while (q) {
		const char *name = q + 1;
		size_t n = strcspn(name, "&");
		const char *eq = memchr(name, '=', n);

		if (eq && secret_parameter((struct str){ name, (size_t)(eq - name) }))
			add_part(s, eq + 1, n - (size_t)(eq + 1 - name));
		q = name[n] ? name + n : NULL;
	}
}

void secrets_blot(const struct secrets *s, struct str text, struct buf *out)
{
	struct buf a, b;

	buf_init(&a, out->max);
	buf_init(&b, out->max);
	buf_add(&a, text.p, text.n);
	for (size_t off = 0; off < s->values.n;) {
		struct str needle = str_of(s->values.p + off);
		struct buf swap;

		buf_clear(&b);
		secret_blot(buf_str(&a), needle, &b);
		swap = a;
		a = b;
		b = swap;
		off += needle.n + 1;
	}
	buf_add(out, a.p, a.n);
	buf_release(&a);
	buf_release(&b);
}
