#include <config.h>

#include "formats/wire/sse.h"

void sse_init(struct sse *s, size_t max, sse_fn fn, void *arg)
{
	*s = (struct sse){ .fn = fn, .arg = arg, .at_start = true };
	buf_init(&s->line, max);
	buf_init(&s->data, max);
	buf_init(&s->type, max);
	buf_init(&s->fields, max);
}

void sse_release(struct sse *s)
{
	buf_release(&s->line);
	buf_release(&s->data);
	buf_release(&s->type);
	buf_release(&s->fields);
}

static int emit(struct sse *s, enum sse_kind kind, struct str data)
{
	struct sse_event ev = { kind, { NULL, 0 }, data };

	if (s->has_type)
		ev.type = buf_str(&s->type);
	return s->fn(s->arg, &ev) ? -1 : 0;
}

static int dispatch(struct sse *s)
{
	int rc = 0;

	if (s->has_data) {
		/* Each data line added an LF; the last one is not part of the data. */
		rc = emit(s, SSE_DATA, (struct str){ s->data.p, s->data.n - 1 });
	} else if (s->has_fields) {
		rc = emit(s, SSE_NODATA, (struct str){ s->fields.p, s->fields.n - 1 });
	}
	buf_clear(&s->data);
	buf_clear(&s->type);
	buf_clear(&s->fields);
	s->has_data = s->has_fields = s->has_type = false;
	return rc;
}

static int add_line(struct buf *b, struct str s)
{
	return buf_add(b, s.p, s.n) < 0 || buf_add(b, "\n", 1) < 0 ? -1 : 0;
}

static int field(struct sse *s, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct str name = { line.p, colon ? (size_t)(colon - line.p) : line.n };
	struct str value = { line.p + line.n, 0 };

	if (colon) {
		value = (struct str){ colon + 1, line.n - name.n - 1 };
		if (value.n && value.p[0] == ' ') {
			value.p++;
			value.n--;
		}
	}
	s->has_fields = true;
	if (str_is(name, "data")) {
		s->has_data = true;
		return add_line(&s->data, value);
	}
	if (str_is(name, "event")) {
		s->has_type = true;
		buf_clear(&s->type);
		if (buf_add(&s->type, value.p, value.n) < 0)
			return -1;
	}
	return add_line(&s->fields, line);
}

static int end_line(struct sse *s, struct str line)
{
	if (line.n == 0)
		return dispatch(s);
	if (line.p[0] == ':')
		return emit(s, SSE_COMMENT, (struct str){ line.p + 1, line.n - 1 });
	return field(s, line);
}

/* Drops a byte order mark at the stream's start, however it is split. */
static size_t skip_bom(struct sse *s, const char *p, size_t n)
{
	static const char bom[] = { '\xef', '\xbb', '\xbf' };
	size_t i = 0;

	while (s->at_start && i < n) {
		if (p[i] != bom[s->bom]) {
			/* It was none: what looked like its begin is text. */
			buf_add(&s->line, bom, s->bom);
			s->at_start = false;
			return i;
		}
		i++;
		if (++s->bom == sizeof(bom))
			s->at_start = false;
	}
	return i;
}

/* First CR or LF of p, or NULL.  Lines are long: two library scans beat one loop. */
static const char *line_end(const char *p, size_t n)
{
	const char *lf = memchr(p, '\n', n);
	const char *cr = memchr(p, '\r', lf ? (size_t)(lf - p) : n);

	return cr ? cr : lf;
}

int sse_feed(struct sse *s, const char *p, size_t n)
{
	size_t skipped = s->at_start ? skip_bom(s, p, n) : 0;

	p += skipped;
	n -= skipped;
	while (n) {
		const char *end;
		struct str line;

		/* The LF of a CRLF whose CR already ended the line. */
		if (s->after_cr && *p == '\n') {
			s->after_cr = false;
			p++;
			n--;
			continue;
		}
		s->after_cr = false;
		end = line_end(p, n);
		if (!end)
			return buf_add(&s->line, p, n);
		line = (struct str){ p, (size_t)(end - p) };
		if (s->line.n) {
			if (buf_add(&s->line, p, line.n) < 0)
				return -1;
			line = buf_str(&s->line);
		}
		s->after_cr = *end == '\r';
		if (end_line(s, line) < 0)
			return -1;
		buf_clear(&s->line);
		n -= (size_t)(end + 1 - p);
		p = end + 1;
	}
	return 0;
}

bool sse_pending(const struct sse *s)
{
	return s->line.n > 0 || s->has_fields;
}

struct str sse_pending_data(struct sse *s)
{
	struct str none = { NULL, 0 };

	if (s->line.n) {
		/* The last line has no end yet: read it as if it had. */
		struct str line = buf_str(&s->line);

		if (line.p[0] != ':' && field(s, line) < 0)
			return none;
		buf_clear(&s->line);
	}
	if (!s->has_data)
		return none;
	return (struct str){ s->data.p, s->data.n - 1 };
}
