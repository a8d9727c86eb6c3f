#include <config.h>

#include "formats/convert/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "formats/base/digest.h"
#include "formats/base/opt.h"
#include "formats/trace/writer.h"

enum { SNIFF_BYTES = 1 << 14, FILE_MAX_BYTES = 1 << 30 };

const struct import_format import_formats[] = {
	{ "mooncake", "Mooncake JSONL: timestamp (ms), input_length, output_length, hash_ids", mooncake_sniff, mooncake_rows },
	{ "azure", "Azure LLM inference CSV: TIMESTAMP, ContextTokens, GeneratedTokens", azure_sniff, azure_rows },
	{ NULL, NULL, NULL, NULL },
};

struct row *rows_add(struct rows *r)
{
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 256;
		struct row *v = realloc(r->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		r->v = v;
		r->cap = cap;
	}
	r->v[r->n] = (struct row){ .input_tokens = COUNT_NONE, .output_tokens = COUNT_NONE };
	return &r->v[r->n++];
}

void rows_release(struct rows *r)
{
	free(r->v);
	arena_release(&r->store);
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
			rc = err_set(e, "%s: larger than %d MiB; split it", path, FILE_MAX_BYTES >> 20);
	if (rc == 0 && ferror(f))
		rc = err_set(e, "%s: cannot read: %s", path, strerror(errno));
	if (!std_in)
		fclose(f);
	return rc;
}

static const struct import_format *find_format(const char *path, const char *from, struct str text, struct err *e)
{
	const char *names[8];
	size_t n = 0;
	const char *near;

	for (const struct import_format *f = import_formats; f->name; f++) {
		names[n++] = f->name;
		if (from ? strcmp(f->name, from) == 0 : f->sniff(text))
			return f;
	}
	names[n] = NULL;
	if (from) {
		near = opt_nearest(from, names);
		err_set(e, "unknown format '%s'%s%s%s; known: mooncake, azure", from,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	} else if (text.n == 0) {
		err_set(e, "%s: empty: nothing to import", path);
	} else {
		err_set(e, "%s: not of a known format (mooncake, azure); say which with --from", path);
	}
	return NULL;
}

static int by_arrival(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->arrival_ns != y->arrival_ns)
		return x->arrival_ns < y->arrival_ns ? -1 : 1;
	return x->line < y->line ? -1 : 1; /* file order within a stamp */
}

static int write_header(struct trace_writer *w, const struct trace_origin *o, const struct rows *r,
			const struct import_result *res, const char *in, const char *digest, struct err *e)
{
	char counts[4][24];
	struct record rec;

	snprintf(counts[0], 24, "%zu", r->read);
	snprintf(counts[1], 24, "%zu", r->n);
	snprintf(counts[2], 24, "%zu", r->bad);
	snprintf(counts[3], 24, "%zu", res->inversions);
	{
		const struct kv run[] = {
			{ str_of("source"), str_of(in) }, { str_of("format"), str_of(res->format) },
			{ str_of("time_unit"), str_of(r->time_unit) }, { str_of("rows_read"), str_of(counts[0]) },
			{ str_of("rows_written"), str_of(counts[1]) }, { str_of("rows_bad"), str_of(counts[2]) },
			{ str_of("inversions"), str_of(counts[3]) },
		};

		record_init(&rec, REC_HEADER);
		trace_origin_fill(o, &rec.u.header);
		rec.u.header.run = (struct kvs){ run, sizeof(run) / sizeof(*run) };
		rec.u.header.source_digest = str_of(digest);
		return trace_write(w, &rec, e);
	}
}

static int write_row(struct trace_writer *w, const struct rows *r, size_t i, struct err *e)
{
	const struct row *row = &r->v[i];
	struct record rec;
	struct rec_request *q = &rec.u.request;

	record_init(&rec, REC_REQUEST);
	q->id = (int64_t)i;
	q->session = row->session;
	q->scheduled_ns = row->arrival_ns - r->v[0].arrival_ns;
	q->method = str_of("POST");
	q->endpoint = str_of("/v1/chat/completions");
	q->api = str_of("chat");
	q->stream = true;
	q->input_tokens = row->input_tokens;
	q->output_tokens = row->output_tokens;
	if (row->n_blocks) {
		q->block_tokens = r->block_tokens;
		q->blocks = row->blocks;
		q->n_blocks = row->n_blocks;
	}
	return trace_write(w, &rec, e);
}

static int write_trace(const char *out, struct rows *r, const struct import_result *res, const char *in,
		       const char *digest, int argc, char **argv, struct err *e)
{
	struct trace_origin *o = trace_origin_create(argc, argv);
	struct trace_writer *w;
	struct err second;
	int rc;

	if (!o)
		return err_set(e, "out of memory");
	rc = trace_writer_open(out, &w, e);
	if (rc == 0) {
		rc = write_header(w, o, r, res, in, digest, e);
		for (size_t i = 0; i < r->n && rc == 0; i++)
			rc = write_row(w, r, i, e);
		if (trace_writer_close(w, rc < 0 ? &second : e) < 0)
			rc = -1;
	}
	trace_origin_free(o);
	return rc;
}

int import_file(const char *in, const char *from, const char *out, bool skip_bad, int argc, char **argv,
		struct import_result *res, struct err *e)
{
	struct import_opts o = { strcmp(in, "-") == 0 ? "stdin" : in, skip_bad };
	struct rows rows = { .block_tokens = COUNT_NONE };
	const struct import_format *f;
	char digest[DIGEST_HEX + 1];
	struct buf text;
	int rc = -1;

	*res = (struct import_result){ .rows = 0 };
	buf_init(&text, FILE_MAX_BYTES);
	if (read_all(in, &text, e) == 0 && (f = find_format(o.name, from, buf_str(&text), e)) &&
	    f->rows(buf_str(&text), &o, &rows, e) == 0) {
		for (size_t i = 1; i < rows.n; i++)
			res->inversions += rows.v[i].arrival_ns < rows.v[i - 1].arrival_ns;
		if (res->inversions)
			qsort(rows.v, rows.n, sizeof(*rows.v), by_arrival);
		res->rows = rows.n;
		res->bad = rows.bad;
		res->odd_blocks = rows.odd_blocks;
		res->first_odd_line = rows.first_odd_line;
		res->format = f->name;
		res->time_unit = rows.time_unit;
		digest_bytes(text.p ? text.p : "", text.n, digest);
		rc = rows.n ? write_trace(out, &rows, res, o.name, digest, argc, argv, e)
			: err_set(e, "%s: no rows in it: nothing to import", o.name);
	}
	rows_release(&rows);
	buf_release(&text);
	return rc;
}
