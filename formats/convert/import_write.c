#include <config.h>

#include "formats/convert/import_write.h"

#include "formats/trace/writer.h"

enum { RUN_MAX = 16, COUNT_SIZE = 24 };

/* The header's run settings, with room for the numbers in them. */
struct run {
	struct kv kv[RUN_MAX];
	char counts[RUN_MAX][COUNT_SIZE];
	size_t n;
};

static void add_text(struct run *r, const char *key, const char *value)
{
	r->kv[r->n++] = (struct kv){ str_of(key), str_of(value) };
}

static void add_count(struct run *r, const char *key, size_t value)
{
	snprintf(r->counts[r->n], COUNT_SIZE, "%zu", value);
	add_text(r, key, r->counts[r->n]);
}

static void fill_run(struct run *run, const struct import_result *r)
{
	static const char *const dropped[DROPS] = {
		"dropped_syntax",
		"dropped_missing",
		"dropped_value",
		"dropped_unsupported",
	};

	run->n = 0;
	add_text(run, "source", r->name);
	add_text(run, "format", r->format);
	add_text(run, "time_unit", r->time_unit);
	add_count(run, "rows_read", r->read);
	add_count(run, "rows_written", r->written);
	for (int d = 0; d < DROPS; d++)
		add_count(run, dropped[d], r->dropped[d]);
	add_count(run, "inversions", r->inversions);
	add_count(run, "odd_blocks", r->odd_blocks);
}

static int write_header(struct trace_writer *w, const struct trace_origin *o,
			const struct rows *rows, int64_t t0,
			const struct import_result *r, const char *digest, struct err *e)
{
	struct record rec;
	struct run run;

	fill_run(&run, r);
	record_init(&rec, REC_HEADER);
	trace_origin_fill(o, &rec.u.header);
	/* The first arrival is time 0; where the file says when that was, so does the trace. */
	if (rows->wall_clock)
		rec.u.header.epoch_wall_ns = t0;
	rec.u.header.epoch_mono_ns = NS_NONE;
	rec.u.header.run = (struct kvs){ run.kv, run.n };
	rec.u.header.source_digest = str_of(digest);
	return trace_write(w, &rec, e);
}

static int write_row(struct trace_writer *w, const struct rows *rows, size_t i,
		     int64_t t0, struct err *e)
{
	const struct row *row = &rows->v[i];
	struct record rec;
	struct rec_request *q = &rec.u.request;

	record_init(&rec, REC_REQUEST);
	q->id = (int64_t)i;
	q->session = row->session;
	q->turn = row->turn;
	q->parent = row->parent;
	if (row->arrival_ns != NS_NONE)
		q->scheduled_ns = row->arrival_ns - t0;
	q->method = str_of("POST");
	q->endpoint = str_of("/v1/chat/completions");
	q->api = str_of("chat");
	q->model = row->model;
	q->stream = true;
	q->input_tokens = row->input_tokens;
	q->output_tokens = row->output_tokens;
	if (row->n_blocks) {
		q->block_tokens = rows->block_tokens;
		q->blocks = row->blocks;
		q->n_blocks = row->n_blocks;
	}
	return trace_write(w, &rec, e);
}

static int64_t first_arrival(const struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->v[i].arrival_ns != NS_NONE)
			return rows->v[i].arrival_ns;
	return NS_NONE;
}

int import_write(const struct import_opts *o, const struct rows *rows,
		 const struct import_result *r, const char *digest, struct err *e)
{
	struct trace_origin *origin = trace_origin_create(o->argc, o->argv);
	int64_t t0 = first_arrival(rows);
	struct trace_writer *w;
	struct err second;
	int rc;

	if (!origin)
		return err_set(e, "out of memory");
	rc = trace_writer_open(o->out, &w, e);
	if (rc == 0) {
		rc = write_header(w, origin, rows, t0, r, digest, e);
		for (size_t i = 0; i < rows->n && rc == 0; i++)
			rc = write_row(w, rows, i, t0, e);
		if (trace_writer_close(w, rc < 0 ? &second : e) < 0)
			rc = -1;
	}
	trace_origin_free(origin);
	return rc;
}
