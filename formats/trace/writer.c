#include <config.h>

#include "formats/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/trace/block.h"
#include "formats/trace/encode.h"

/* A request body may be 64 MiB (tokrecord --max-body); the record around it is small. */
enum { RECORD_MAX = 80 << 20 };

struct trace_writer {
	char *path;
	int fd;
	struct block_writer *b;
	struct buf rec;
	int64_t flushed_ns;
	struct rec_end counts;
	bool open_segment; /* a header was written and no end record since */
};

static int open_output(const char *path, struct err *e)
{
	int fd;

	if (strcmp(path, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			return err_set(e, "stdout is a terminal; a trace is binary: give -o FILE or a pipe");
		return STDOUT_FILENO;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, "%s: cannot create: %s", path, strerror(errno));
	return fd;
}

int trace_writer_open(const char *path, struct trace_writer **out, struct err *e)
{
	int fd = open_output(path, e);
	struct trace_writer *w;

	if (fd < 0)
		return -1;
	w = calloc(1, sizeof(*w));
	if (w) {
		w->fd = fd;
		w->path = strdup(strcmp(path, "-") == 0 ? "stdout" : path);
		w->b = block_writer_create(fd);
		buf_init(&w->rec, RECORD_MAX);
		w->flushed_ns = clock_mono_ns();
	}
	if (!w || !w->path || !w->b) {
		err_set(e, "out of memory");
		if (w)
			trace_writer_close(w, &(struct err){ "" });
		return -1;
	}
	*out = w;
	return 0;
}

static void count(struct trace_writer *w, const struct record *r)
{
	if (r->kind == REC_HEADER || r->kind == REC_END)
		w->open_segment = r->kind == REC_HEADER;
	if (r->kind == REC_REQUEST)
		w->counts.requests++;
	if (r->kind != REC_RESPONSE)
		return;
	w->counts.responses += r->u.response.last;
	w->counts.events += (int64_t)r->u.response.events.n;
}

int trace_write(struct trace_writer *w, const struct record *r, struct err *e)
{
	buf_clear(&w->rec);
	if (record_encode(r, &w->rec) < 0)
		return err_set(e, "%s: a %s record is larger than %d MiB, has more than %d events, or memory is short",
			       w->path, rec_kind_name(r->kind), RECORD_MAX >> 20, TRACE_EVENTS_MAX);
	if (block_put(w->b, w->rec.p, w->rec.n, e) < 0)
		return err_wrap(e, "%s", w->path);
	count(w, r);
	return 0;
}

int trace_writer_flush(struct trace_writer *w, struct err *e)
{
	w->flushed_ns = clock_mono_ns();
	return block_flush(w->b, e) < 0 ? err_wrap(e, "%s", w->path) : 0;
}

int trace_writer_tick(struct trace_writer *w, int64_t now_ns, struct err *e)
{
	if (now_ns - w->flushed_ns < NS_PER_S)
		return 0;
	return trace_writer_flush(w, e);
}

/* fsync has no meaning on a pipe or terminal; that is no error. */
static int sync_and_close(struct trace_writer *w, struct err *e)
{
	int rc = 0;

	if (fsync(w->fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		rc = err_set(e, "%s: cannot sync: %s", w->path ? w->path : "", strerror(errno));
	if (w->fd != STDOUT_FILENO && close(w->fd) < 0 && rc == 0)
		rc = err_set(e, "%s: cannot close: %s", w->path ? w->path : "", strerror(errno));
	return rc;
}

/* A segment without its end record reads as cut. */
static int end_segment(struct trace_writer *w, struct err *e)
{
	struct record r;

	if (!w->open_segment)
		return 0;
	record_init(&r, REC_END);
	trace_writer_counts(w, &r.u.end);
	return trace_write(w, &r, e);
}

int trace_writer_close(struct trace_writer *w, struct err *e)
{
	struct err second;
	int rc = 0;

	if (w->b && end_segment(w, e) < 0)
		rc = -1;
	if (w->b && rc == 0 && block_finish(w->b, e) < 0)
		rc = err_wrap(e, "%s", w->path);
	if (sync_and_close(w, rc < 0 ? &second : e) < 0)
		rc = -1;
	block_writer_free(w->b);
	buf_release(&w->rec);
	free(w->path);
	free(w);
	return rc;
}

void trace_writer_counts(const struct trace_writer *w, struct rec_end *out)
{
	out->requests = w->counts.requests;
	out->responses = w->counts.responses;
	out->events = w->counts.events;
}
