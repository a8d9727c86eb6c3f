#include <config.h>

#include "formats/trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/trace/decode.h"
#include "formats/trace/mp.h"
#include "formats/trace/unblock.h"

enum {
	RECORD_MAX = 80 << 20,           /* as the writer's */
	BUFFER_MAX = RECORD_MAX + (1 << 20),
	COMPACT_AT = 1 << 18,            /* consumed bytes after which the buffer is moved down */
};

struct trace_reader {
	char *path;
	int fd;
	struct unblock *u;
	struct buf buf;
	size_t off;          /* of the next record in buf */
	struct mp_walk walk; /* over that record */
	struct decode_store store;
	int64_t records, segment;
	bool open_segment;   /* its end record has not been read */
	int end;             /* 0 reading, 1 clean end, -1 failed */
	bool cut;
	struct err why;
};

int trace_reader_open(const char *path, struct trace_reader **out, struct err *e)
{
	bool std_in = strcmp(path, "-") == 0;
	int fd = std_in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct trace_reader *r;
	struct stat st;

	if (fd < 0)
		return err_set(e, "%s: cannot open: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (!std_in)
			close(fd);
		return err_set(e, "%s: is a directory; a trace file was expected", path);
	}
	r = calloc(1, sizeof(*r));
	if (r) {
		r->fd = fd;
		r->path = strdup(std_in ? "stdin" : path);
		r->u = unblock_create(fd, 0);
		buf_init(&r->buf, BUFFER_MAX);
		decode_store_init(&r->store, BUFFER_MAX);
		r->walk.pending = 1;
		r->segment = -1;
	}
	if (!r || !r->path || !r->u) {
		trace_reader_close(r);
		return err_set(e, "out of memory");
	}
	*out = r;
	return 0;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	unblock_free(r->u);
	buf_release(&r->buf);
	decode_store_release(&r->store);
	if (r->fd != STDIN_FILENO)
		close(r->fd);
	free(r->path);
	free(r);
}

static int fail(struct trace_reader *r, bool cut, const char *what)
{
	r->end = -1;
	r->cut = cut;
	return err_set(&r->why, "%s: %s at byte %" PRId64 " after %" PRId64 " records%s", r->path,
		       what, unblock_offset(r->u), r->records,
		       cut ? "; what is before that was read" : "");
}

static int at_end(struct trace_reader *r)
{
	if (r->off < r->buf.n)
		return fail(r, true, "truncated (a record is incomplete)");
	if (r->records == 0) {
		r->end = -1;
		return err_set(&r->why, "%s: empty: no trace in it", r->path);
	}
	if (r->open_segment)
		return fail(r, true, "truncated (the closing record is missing)");
	r->end = 1;
	return 0;
}

/* More decompressed bytes into buf; 1 if there are some, else the reader has ended. */
static int more(struct trace_reader *r)
{
	struct err e = { "" };

	if (r->off >= COMPACT_AT) {
		buf_consume(&r->buf, r->off);
		r->off = 0;
	}
	switch (unblock_more(r->u, &r->buf, &e)) {
	case UNBLOCK_MORE:
		return 1;
	case UNBLOCK_END:
		return at_end(r);
	case UNBLOCK_CUT:
		return fail(r, true, "truncated");
	default:
		return fail(r, false, e.msg);
	}
}

/* A record cannot start with anything but a map: known before a byte more is read. */
static bool is_map(unsigned char c)
{
	return (c & 0xf0) == 0x80 || c == 0xde || c == 0xdf;
}

/* Finds the next whole record: 1 and its bytes, 0 end, -1. */
static int next_bytes(struct trace_reader *r, struct str *out)
{
	for (;;) {
		enum mp_walk_result w;
		int rc;

		if (r->off < r->buf.n && !is_map((unsigned char)r->buf.p[r->off]))
			return fail(r, false, "not a record (a msgpack map was expected)");
		w = r->off < r->buf.n ? mp_walk(&r->walk, r->buf.p + r->off, r->buf.n - r->off, RECORD_MAX)
				      : MP_MORE;
		if (w == MP_BAD)
			return fail(r, false, "not a record (lengths that no record has)");
		if (w == MP_WHOLE) {
			*out = (struct str){ r->buf.p + r->off, r->walk.pos };
			r->off += r->walk.pos;
			r->walk = (struct mp_walk){ 0, 1 };
			return 1;
		}
		rc = more(r);
		if (rc <= 0)
			return rc;
	}
}

static int check_header(struct trace_reader *r, const struct record *rec)
{
	char what[160];

	if (rec->kind == REC_HEADER || rec->kind == REC_END)
		r->open_segment = rec->kind == REC_HEADER;
	if (rec->kind == REC_HEADER) {
		r->segment++;
		if (rec->u.header.version == TRACE_VERSION)
			return 0;
		snprintf(what, sizeof(what), "trace format version %" PRId64 " is not known here "
			 "(version %d is); use a newer toktrace", rec->u.header.version, TRACE_VERSION);
		return fail(r, false, what);
	}
	if (r->segment < 0)
		return fail(r, false, "not a toktrace trace (its first record is no header)");
	return 0;
}

int trace_next(struct trace_reader *r, struct record *rec, struct err *e)
{
	struct err why;
	struct str s = { NULL, 0 };
	int rc = r->end > 0 ? 0 : r->end;

	while (r->end == 0) {
		rc = next_bytes(r, &s);
		if (rc <= 0)
			break;
		if (record_decode(s.p, s.n, &r->store, rec, &why) < 0) {
			rc = fail(r, false, why.msg);
			break;
		}
		rc = check_header(r, rec);
		if (rc < 0)
			break;
		r->records++;
		if (rec->kind != REC_UNKNOWN)
			return 1;
	}
	if (rc < 0)
		*e = r->why;
	return rc;
}

bool trace_reader_cut(const struct trace_reader *r)
{
	return r->cut;
}

int64_t trace_reader_segment(const struct trace_reader *r)
{
	return r->segment;
}

int64_t trace_reader_records(const struct trace_reader *r)
{
	return r->records;
}
