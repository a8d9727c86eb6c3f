#include <config.h>

#include "record/head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void head_init(struct head *h)
{
	*h = (struct head){ .lines = NULL };
	buf_init(&h->text, HEAD_MAX);
}

void head_release(struct head *h)
{
	buf_release(&h->text);
	free(h->lines);
	*h = (struct head){ .lines = NULL };
}

int head_line(struct head *h, const char *p, size_t n)
{
	if (n >= 5 && memcmp(p, "HTTP/", 5) == 0)
		buf_clear(&h->text);
	while (n && (p[n - 1] == '\r' || p[n - 1] == '\n'))
		n--;
	return buf_add(&h->text, p, n) < 0 || buf_add(&h->text, "", 1) < 0 ? -1 : 0;
}

int head_finish(struct head *h)
{
	const char *p = h->text.p, *end = p + h->text.n;
	size_t most = 0;

	for (size_t i = 0; i < h->text.n; i++)
		most += p[i] == '\0';
	h->lines = calloc(most + 1, sizeof(*h->lines));
	if (!h->lines)
		return -1;
	for (bool first = true; p && p < end; p += strlen(p) + 1, first = false)
		if (!first && *p)
			h->lines[h->n++] = p;
	h->done = true;
	return 0;
}

const char *head_reason(const struct head *h)
{
	const char *code = h->text.n ? strchr(h->text.p, ' ') : NULL;
	const char *reason = code ? strchr(code + 1, ' ') : NULL;

	return reason ? reason + 1 : "";
}

const char *head_value(const char *const *lines, size_t n, const char *name)
{
	size_t k = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (strncasecmp(lines[i], name, k) == 0 && lines[i][k] == ':')
			return lines[i] + k + 1 + strspn(lines[i] + k + 1, " \t");
	return NULL;
}
