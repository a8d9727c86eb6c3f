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
enum {
	RECORD_MAX = 80 << 20,
	SLACK_MAX = 64 << 10, /* unused bytes of a packed record, which may wait in a queue */
};

struct trace_writer {
	char *path;
	int fd;
	struct block_writer *b;
	struct trace_packed rec;
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

int trace_writer_adopt(int fd, const char *name, struct trace_writer **out, struct err *e)
{
	struct trace_writer *w = calloc(1, sizeof(*w));

	if (w) {
		w->fd = fd;
		w->path = strdup(name);
		w->b = block_writer_create(fd);
		buf_init(&w->rec.bytes, RECORD_MAX);
		w->flushed_ns = clock_mono_ns();
	}
	if (!w || !w->path || !w->b) {
		err_set(e, "out of memory");
		if (w)
			trace_writer_close(w, &(struct err){ "" });
		else if (fd != STDOUT_FILENO)
			close(fd);
		return -1;
	}
	*out = w;
	return 0;
}

int trace_writer_open(const char *path, struct trace_writer **out, struct err *e)
{
	int fd = open_output(path, e);

	if (fd < 0)
		return -1;
	return trace_writer_adopt(fd, strcmp(path, "-") == 0 ? "stdout" : path, out, e);
}

static void count(struct trace_writer *w, const struct trace_packed *p)
{
	if (p->kind == REC_HEADER || p->kind == REC_END)
		w->open_segment = p->kind == REC_HEADER;
	w->counts.requests += p->kind == REC_REQUEST;
	w->counts.responses += p->last;
	w->counts.events += p->events;
}

/* The bytes are appended to an empty buffer that may have room already. */
static int pack_into(const struct record *r, struct trace_packed *p, struct err *e)
{
	bool response = r->kind == REC_RESPONSE;

	p->kind = r->kind;
	p->last = response && r->u.response.last;
	p->events = response ? (int64_t)r->u.response.events.n : 0;
	if (record_encode(r, &p->bytes) < 0)
		return err_set(e, "a %s record is larger than %d MiB, has more than %d events, or memory is short",
			       rec_kind_name(r->kind), RECORD_MAX >> 20, TRACE_EVENTS_MAX);
	return 0;
}

int trace_pack(const struct record *r, struct trace_packed *out, struct err *e)
{
	buf_init(&out->bytes, RECORD_MAX);
	if (pack_into(r, out, e) < 0)
		return -1;
	if (out->bytes.cap - out->bytes.n > SLACK_MAX)
		buf_shrink(&out->bytes);
	return 0;
}

int trace_write_packed(struct trace_writer *w, const struct trace_packed *p, struct err *e)
{
	if (block_put(w->b, p->bytes.p, p->bytes.n, e) < 0)
		return err_wrap(e, "%s", w->path);
	count(w, p);
	return 0;
}

int trace_write(struct trace_writer *w, const struct record *r, struct err *e)
{
	buf_clear(&w->rec.bytes);
	if (pack_into(r, &w->rec, e) < 0)
		return err_wrap(e, "%s", w->path);
	return trace_write_packed(w, &w->rec, e);
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
	buf_release(&w->rec.bytes);
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

int64_t trace_writer_bytes(const struct trace_writer *w)
{
	return block_bytes(w->b);
}
