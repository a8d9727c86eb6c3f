/* Text by lines: LF or CRLF, the last one with or without an end, a leading BOM dropped. */
#ifndef CONVERT_LINES_H
#define CONVERT_LINES_H

#include "formats/base/str.h"

struct lines {
	struct str rest;
	size_t number; /* of the line last given, from 1 */
};

static inline struct lines lines_of(struct str text)
{
	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		text = (struct str){ text.p + 3, text.n - 3 };
	return (struct lines){ text, 0 };
}

static inline bool lines_next(struct lines *l, struct str *line)
{
	const char *lf;
	size_t n;

	if (l->rest.n == 0)
		return false;
	lf = memchr(l->rest.p, '\n', l->rest.n);
	n = lf ? (size_t)(lf - l->rest.p) : l->rest.n;
	*line = (struct str){ l->rest.p, n };
	if (n && line->p[n - 1] == '\r')
		line->n--;
	l->rest.p += n + (lf != NULL);
	l->rest.n -= n + (lf != NULL);
	l->number++;
	return true;
}

/* Only blanks. */
static inline bool line_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return true;
}

#endif
