#include <config.h>

#include "formats/convert/import.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/base/digest.h"
#include "formats/base/opt.h"
#include "formats/convert/import_write.h"

enum { FILE_BYTES_MAX = 1 << 30, FORMATS_MAX = 16 };

const struct import_format import_formats[] = {
	{ "mooncake", mooncake_sniff, mooncake_rows },
	{ "azure", azure_sniff, azure_rows },
	{ NULL, NULL, NULL },
};

const struct import_format *import_find(const char *name)
{
	for (const struct import_format *f = import_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

const char *import_unknown(const char *name, struct err *e)
{
	const char *names[FORMATS_MAX + 1] = { NULL }, *near;
	char known[128] = "";
	size_t n = 0, len = 0;

	for (const struct import_format *f = import_formats; f->name && n < FORMATS_MAX;
	     f++) {
		names[n++] = f->name;
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
					len ? ", " : "", f->name);
	}
	near = opt_nearest(name, names);
	err_set(e, "unknown format '%s'%s%s%s; known: %s", name,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
		known);
	return e->msg;
}

static int read_all(const char *path, struct buf *b, struct err *e)
{
	bool std_in = strcmp(path, "-") == 0;
	FILE *f = std_in ? stdin : fopen(path, "rb");
	char chunk[1 << 16];
	size_t n;
	int rc = 0;

	if (!f)
		return err_set(e, "%s: cannot open: %s", path, strerror(errno));
	while (rc == 0 && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		if (buf_add(b, chunk, n) < 0)
			rc = err_set(e, "%s: larger than %d MiB; split it and join "
				     "the traces with 'tokconvert cat'",
				     path, FILE_BYTES_MAX >> 20);
	if (rc == 0 && ferror(f))
		rc = err_set(e, "%s: cannot read: %s", path, strerror(errno));
	if (!std_in)
		fclose(f);
	return rc;
}

static bool begins(struct str text, const char *magic, size_t n)
{
	return text.n >= n && memcmp(text.p, magic, n) == 0;
}

static const struct import_format *find_by_content(const char *name, struct str text,
						   struct err *e)
{
	for (const struct import_format *f = import_formats; f->name; f++)
		if (f->sniff(text))
			return f;
	if (text.n == 0)
		err_set(e, "%s: empty: nothing to import", name);
	else if (begins(text, "\x28\xb5\x2f\xfd", 4))
		err_set(e,
			"%s: zstd-compressed: a trace needs no import; decompress anything else first",
			name);
	else if (begins(text, "\x1f\x8b", 2))
		err_set(e,
			"%s: gzip-compressed: give it through 'gzip -dc %s | tokconvert import -'",
			name, name);
	else
		err_set(e,
			"%s: line 1: not of a known format (mooncake, azure); say which with --from",
			name);
	return NULL;
}

static void note_zeros(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].input_tokens == 0 || r->v[i].output_tokens == 0)
			if (r->zeros++ == 0)
				r->first_zero_line = r->v[i].line;
}

static int read_rows(const struct import_format *f, struct str text,
		     const struct row_opts *o, struct rows *rows, struct err *e)
{
	if (f->rows(text, o, rows, e) < 0)
		return -1;
	if (rows->n == 0 && rows->read)
		return err_set(e, "%s: all %zu rows are bad: nothing to import", o->name,
			       rows->read);
	if (rows->n == 0)
		return err_set(e, "%s: no rows in it: nothing to import", o->name);
	note_zeros(rows);
	rows_sort(rows);
	return rows_link(rows) < 0 ? err_set(e, "out of memory") : 0;
}

static void fill_result(const struct rows *rows, struct import_result *r)
{
	r->time_unit = rows->time_unit;
	r->read = rows->read;
	r->written = rows->n;
	memcpy(r->dropped, rows->dropped, sizeof(r->dropped));
	r->inversions = rows->inversions;
	r->odd_blocks = rows->odd_blocks;
	r->first_odd_line = rows->first_odd_line;
	r->zeros = rows->zeros;
	r->first_zero_line = rows->first_zero_line;
}

int import_file(const struct import_opts *o, struct import_result *r, struct err *e)
{
	const struct row_opts ro = { strcmp(o->in, "-") == 0 ? "stdin" : o->in,
				     o->skip_bad };
	const struct import_format *f = o->from ? import_find(o->from) : NULL;
	struct rows rows = { .n = 0 };
	char digest[DIGEST_HEX + 1];
	struct buf text;
	int rc = -1;

	buf_init(&text, FILE_BYTES_MAX);
	*r = (struct import_result){ .name = ro.name };
	if (o->from && !f)
		import_unknown(o->from, e);
	else if (read_all(o->in, &text, e) == 0 &&
		 (f || (f = find_by_content(ro.name, buf_str(&text), e))))
		rc = read_rows(f, buf_str(&text), &ro, &rows, e);
	if (rc == 0) {
		r->format = f->name;
		fill_result(&rows, r);
		digest_bytes(text.p, text.n, digest);
		buf_release(&text);
		rc = import_write(o, &rows, r, digest, e);
	}
	rows_release(&rows);
	buf_release(&text);
	return rc;
}

void import_report(const struct import_result *r, FILE *to)
{
	const char *tool = err_tool_name();

	fprintf(to, "%s: %s: %s, time unit: %s; %zu rows read, %zu written", tool,
		r->name, r->format, r->time_unit, r->read, r->written);
	for (int d = 0; d < DROPS; d++)
		if (r->dropped[d])
			fprintf(to, ", %zu dropped (%s)", r->dropped[d],
				drop_name((enum drop)d));
	if (r->inversions)
		fprintf(to, "; not in order of time at %zu places: sorted",
			r->inversions);
	fputc('\n', to);
	if (r->odd_blocks)
		fprintf(to,
			"%s: %s: line %zu: the number of blocks does not fit the input length (%zu such rows)\n",
			tool, r->name, r->first_odd_line, r->odd_blocks);
	if (r->zeros)
		fprintf(to, "%s: %s: line %zu: 0 tokens in or out (%zu such rows)\n",
			tool, r->name, r->first_zero_line, r->zeros);
}
