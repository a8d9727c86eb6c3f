#include <config.h>

#include "formats/convert/cat.h"

#include <string.h>
#include <sys/stat.h>

#include "formats/trace/reader.h"
#include "formats/trace/writer.h"

/* Counts of the segment at hand, for an end record that the input lacks. */
struct segment_state {
	bool open;
	struct rec_end counts;
};

static int put(struct trace_writer *w, const struct record *r, struct segment_state *s,
	       struct err *e)
{
	if (r->kind == REC_HEADER) {
		struct record blank;

		record_init(&blank, REC_END);
		*s = (struct segment_state){ true, blank.u.end };
		s->counts.requests = s->counts.responses = s->counts.events = 0;
	}
	if (r->kind == REC_END)
		s->open = false;
	if (r->kind == REC_REQUEST)
		s->counts.requests++;
	if (r->kind == REC_RESPONSE) {
		s->counts.responses += r->u.response.last;
		s->counts.events += (int64_t)r->u.response.events.n;
	}
	return trace_write(w, r, e);
}

static int close_segment(struct trace_writer *w, struct segment_state *s,
			 struct cat_result *res, struct err *e)
{
	struct record r = { .kind = REC_END, .u.end = s->counts };

	if (!s->open)
		return 0;
	r.u.end.interrupted = true;
	res->records++;
	return put(w, &r, s, e);
}

static int copy_input(const char *path, struct trace_writer *w,
		      const struct cat_listener *l, struct cat_result *res, struct err *e)
{
	struct segment_state s = { .open = false };
	struct trace_reader *t;
	struct record r;
	struct err why;
	int rc, write_rc = 0;

	if (trace_reader_open(path, &t, e) < 0)
		return -1;
	while ((rc = trace_next(t, &r, &why)) > 0) {
		/* "cat a.tok b.tok" of a cut a.tok leaves a segment open in the middle. */
		if (r.kind == REC_HEADER)
			write_rc = close_segment(w, &s, res, e);
		if (write_rc == 0)
			write_rc = put(w, &r, &s, e);
		if (write_rc < 0)
			break;
		res->records++;
		res->segments += r.kind == REC_HEADER;
	}
	if (write_rc == 0)
		write_rc = close_segment(w, &s, res, e);
	if (rc < 0) {
		res->broken++;
		l->broken(l->arg, &why, trace_reader_records(t));
	}
	trace_reader_close(t);
	return write_rc;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* All of it before the output is touched: a mistyped name must not cost a finished file. */
static int check_inputs(char *const *in, size_t n, const char *out, struct err *e)
{
	size_t stdins = 0;

	for (size_t i = 0; i < n; i++) {
		struct trace_reader *t;

		if (strcmp(in[i], "-") == 0) {
			if (stdins++)
				return err_set(e,
					       "'-' twice: stdin can be read only once");
			continue;
		}
		if (trace_reader_open(in[i], &t, e) < 0)
			return -1;
		trace_reader_close(t);
		if (strcmp(out, "-") != 0 && same_file(in[i], out))
			return err_set(e,
				       "%s: is an input and the output; give another -o",
				       out);
	}
	return 0;
}

int cat_traces(char *const *in, size_t n, const char *out, const struct cat_listener *l,
	       struct cat_result *r, struct err *e)
{
	struct trace_writer *w;
	struct err second;
	int rc = 0;

	*r = (struct cat_result){ .records = 0 };
	if (check_inputs(in, n, out, e) < 0 || trace_writer_open(out, &w, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = copy_input(in[i], w, l, r, e);
	if (trace_writer_close(w, rc < 0 ? &second : e) < 0)
		rc = -1;
	return rc;
}
