#include <config.h>

#include "record/files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/rotate.h"

enum { TRIES = 1000, PATH_SPACE = 4096 };

struct file {
	struct trace_writer *w;   /* NULL: not open, or given up */
	struct buf path, part;    /* part: empty if it is written in place */
};

struct files {
	const char *path;
	bool force, used;         /* used: the first file was opened */
	struct file slot[FILES_MAX];
	pthread_mutex_t lock;     /* over the state, which others look at */
	struct files_state state;
};

/* ---- names ---- */

/* The part is made exclusively; its final name must be free, too.  A descriptor or -1. */
static int create_stamped(struct files *f, struct file *file, int64_t wall_ns, struct err *e)
{
	for (int try = 1; try <= TRIES; try++) {
		int fd;

		buf_clear(&file->path);
		rotate_name(f->path, wall_ns, try, &file->path);
		buf_clear(&file->part);
		buf_printf(&file->part, "%s.part", buf_cstr(&file->path));
		if (access(buf_cstr(&file->path), F_OK) == 0)
			continue;
		fd = open(buf_cstr(&file->part), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return err_set(e, "%s: cannot create: %s", buf_cstr(&file->part), strerror(errno));
	}
	return err_set(e, "%s: its name and %d more are taken", buf_cstr(&file->path), TRIES - 1);
}

/* True: there are bytes of somebody's in it, which opening would destroy. */
static bool holds_something(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static int create_fixed(struct files *f, struct file *file, const struct file_item *it, struct err *e)
{
	int fd;

	if (holds_something(f->path) && f->used)
		return create_stamped(f, file, it->wall_ns, e);
	if (holds_something(f->path) && !f->force)
		return err_set(e, "%s: exists already; move it away, give another -o, --rotate for a new "
				  "file each time, or --force to overwrite it", f->path);
	buf_adds(&file->path, f->path);
	fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 ? err_set(e, "%s: cannot create: %s", f->path, strerror(errno)) : fd;
}

static int create(struct files *f, struct file *file, const struct file_item *it, struct err *e)
{
	struct stat st;

	if (it->stamped && stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(e, "%s: is no regular file; rotation needs the name of one", f->path);
	if (it->stamped)
		return create_stamped(f, file, it->wall_ns, e);
	if (strcmp(f->path, "-") != 0)
		return create_fixed(f, file, it, e);
	if (isatty(STDOUT_FILENO))
		return err_set(e, "stdout is a terminal; a trace is binary: give -o FILE or a pipe");
	buf_adds(&file->path, "stdout");
	return STDOUT_FILENO;
}

/* The name in the directory is as lasting as the bytes. */
static void sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_SPACE];
	int fd;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int give_name(struct file *file, struct err *e)
{
	const char *part = buf_cstr(&file->part), *path = buf_cstr(&file->path);
	int rc;

	if (!file->part.n)
		return 0;
	rc = renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE);
	/* Not every file system knows the flag. */
	if (rc < 0 && (errno == EINVAL || errno == ENOSYS) && access(path, F_OK) < 0)
		rc = rename(part, path);
	if (rc < 0)
		return err_set(e, "%s: cannot rename to %s: %s", part, path, strerror(errno));
	sync_directory(path);
	return 0;
}

/* ---- jobs ---- */

static void fail(struct files *f, int slot, const struct err *e)
{
	struct file *file = &f->slot[slot];

	if (file->w)
		trace_writer_close(file->w, &(struct err){ "" });
	file->w = NULL;
	pthread_mutex_lock(&f->lock);
	f->state.slot[slot].failed = true;
	f->state.failures++;
	snprintf(f->state.why, sizeof(f->state.why), "%s", e->msg);
	pthread_mutex_unlock(&f->lock);
}

static void lose(struct files *f)
{
	pthread_mutex_lock(&f->lock);
	f->state.lost++;
	pthread_mutex_unlock(&f->lock);
}

static void count_bytes(struct files *f, int slot)
{
	int64_t bytes = f->slot[slot].w ? trace_writer_bytes(f->slot[slot].w) : 0;

	pthread_mutex_lock(&f->lock);
	if (bytes > f->state.slot[slot].bytes) {
		f->state.bytes += bytes - f->state.slot[slot].bytes;
		f->state.slot[slot].bytes = bytes;
	}
	pthread_mutex_unlock(&f->lock);
}

static void new_file(struct files *f, const struct file_item *it)
{
	pthread_mutex_lock(&f->lock);
	f->state.slot[it->slot].serial = it->serial;
	f->state.slot[it->slot].failed = false;
	f->state.slot[it->slot].bytes = 0;
	pthread_mutex_unlock(&f->lock);
}

static void announce(struct files *f, int slot, int fd)
{
	struct stat st;

	pthread_mutex_lock(&f->lock);
	f->state.regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fd != STDOUT_FILENO;
	snprintf(f->state.current, sizeof(f->state.current), "%s", buf_cstr(&f->slot[slot].path));
	pthread_mutex_unlock(&f->lock);
}

static int open_file(struct files *f, const struct file_item *it, struct err *e)
{
	struct file *file = &f->slot[it->slot];
	int fd;

	buf_clear(&file->path);
	buf_clear(&file->part);
	new_file(f, it);
	fd = create(f, file, it, e);
	if (fd < 0)
		return -1;
	f->used = true;
	announce(f, it->slot, fd);
	if (trace_writer_adopt(fd, buf_cstr(file->part.n ? &file->part : &file->path), &file->w, e) < 0 ||
	    trace_write_packed(file->w, &it->packed, e) < 0 || trace_writer_flush(file->w, e) < 0)
		return -1;
	count_bytes(f, it->slot);
	return 0;
}

static int close_file(struct files *f, const struct file_item *it, struct err *e)
{
	struct file *file = &f->slot[it->slot];
	struct record r = { .kind = REC_END, .u.end = it->end };
	struct trace_writer *w = file->w;
	struct err second;
	int rc;

	if (!w)
		return 0;
	trace_writer_counts(w, &r.u.end);
	rc = trace_write(w, &r, e);
	if (rc == 0)
		rc = trace_writer_flush(w, e);
	count_bytes(f, it->slot);
	file->w = NULL;
	if (trace_writer_close(w, rc < 0 ? &second : e) < 0)
		rc = -1;
	if (rc == 0)
		rc = give_name(file, e);
	if (rc == 0) {
		pthread_mutex_lock(&f->lock);
		f->state.finished++;
		pthread_mutex_unlock(&f->lock);
	}
	return rc;
}

static int write_record(struct files *f, const struct file_item *it, struct err *e)
{
	struct trace_writer *w = f->slot[it->slot].w;
	int rc = 0;

	if (w)
		rc = trace_write_packed(w, &it->packed, e);
	if (!w || rc < 0)
		lose(f);
	else
		count_bytes(f, it->slot);
	return rc;
}

static void take(void *arg, struct spool_item *item)
{
	struct file_item *it = (struct file_item *)item;
	struct files *f = arg;
	struct err e;
	int rc = -1;

	switch (it->job) {
	case FILE_OPEN: rc = open_file(f, it, &e); break;
	case FILE_RECORD: rc = write_record(f, it, &e); break;
	case FILE_CLOSE: rc = close_file(f, it, &e); break;
	}
	if (rc < 0)
		fail(f, it->slot, &e);
	file_item_free(it);
}

static void flush(void *arg)
{
	struct files *f = arg;
	struct err e;

	for (int i = 0; i < FILES_MAX; i++) {
		if (!f->slot[i].w)
			continue;
		if (trace_writer_flush(f->slot[i].w, &e) < 0)
			fail(f, i, &e);
		else
			count_bytes(f, i);
	}
}

/* ---- public ---- */

void file_item_free(struct file_item *it)
{
	buf_release(&it->packed.bytes);
	free(it);
}

struct files *files_create(const char *path, bool force)
{
	struct files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->path = path;
	f->force = force;
	pthread_mutex_init(&f->lock, NULL);
	for (int i = 0; i < FILES_MAX; i++) {
		buf_init(&f->slot[i].path, PATH_SPACE);
		buf_init(&f->slot[i].part, PATH_SPACE);
	}
	return f;
}

struct spool_sink files_sink(struct files *f)
{
	return (struct spool_sink){ f, take, flush };
}

void files_look(struct files *f, struct files_state *out)
{
	pthread_mutex_lock(&f->lock);
	*out = f->state;
	pthread_mutex_unlock(&f->lock);
}

void files_free(struct files *f)
{
	if (!f)
		return;
	for (int i = 0; i < FILES_MAX; i++) {
		if (f->slot[i].w)
			trace_writer_close(f->slot[i].w, &(struct err){ "" });
		buf_release(&f->slot[i].path);
		buf_release(&f->slot[i].part);
	}
	pthread_mutex_destroy(&f->lock);
	free(f);
}
