#include <config.h>

#include "plot/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "runs/day.tok" -> "day": the name to show for a file, within its path. */
static struct str show_name(const char *path)
{
	const char *base = strrchr(path, '/');
	struct str s = str_of(strcmp(path, "-") == 0 ? "stdin" : base ? base + 1 : path);

	if (s.n > 4 && (memcmp(s.p + s.n - 4, ".tok", 4) == 0 || memcmp(s.p + s.n - 4, ".tsv", 4) == 0))
		s.n -= 4;
	return s;
}

/* A zstd frame or a skippable one: RFC 8878, sections 3.1.1 and 3.1.2. */
static bool is_zstd(const unsigned char *p, size_t n)
{
	if (n < 4)
		return false;
	return memcmp(p, "\x28\xB5\x2F\xFD", 4) == 0 ||
		((p[0] & 0xF0) == 0x50 && memcmp(p + 1, "\x2A\x4D\x18", 3) == 0);
}

/* Copies what is left of stdin into a nameless file and puts that in its place. */
static int spool_stdin(struct err *e)
{
	FILE *f = tmpfile();
	char block[65536];
	ssize_t n = -1;

	if (!f)
		return err_set(e, "standard input: %s", strerror(errno));
	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && fwrite(block, 1, (size_t)n, f) != (size_t)n)
			break;
	if (n == 0 && fflush(f) == 0 && lseek(fileno(f), 0, SEEK_SET) == 0 &&
	    dup2(fileno(f), STDIN_FILENO) >= 0) {
		fclose(f);
		return 0;
	}
	err_set(e, "standard input: %s", strerror(errno));
	fclose(f);
	return -1;
}

/* 1: a trace, 0: text, -1. */
static int sniff(const char *path, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	unsigned char head[4];
	ssize_t n;
	int fd;

	if (is_stdin && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0 && spool_stdin(e) < 0)
		return -1;
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	n = pread(fd, head, sizeof(head), is_stdin ? lseek(fd, 0, SEEK_CUR) : 0);
	if (n < 0)
		err_set(e, "%s: %s", is_stdin ? "standard input" : path, strerror(errno));
	if (!is_stdin)
		close(fd);
	return n < 0 ? -1 : is_zstd(head, (size_t)n);
}

static int read_table(const char *path, size_t source, struct plot_data *d, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(path, "r");
	const char *name = is_stdin ? "standard input" : path;
	struct table *t = NULL;
	int rc;

	if (!in)
		return err_set(e, "%s: %s", path, strerror(errno));
	rc = table_read_tsv(in, name, &t, e);
	if (rc == 0) {
		rc = input_table(t, source, d, e);
		if (rc < 0)
			err_wrap(e, "%s", name);
		table_free(t);
	}
	if (!is_stdin)
		fclose(in);
	return rc;
}

static int add_source(const char *path, struct plot_data *d, size_t *source)
{
	*source = d->n_sources;
	return plot_data_add_source(d, show_name(path)) ? 0 : -1;
}

static int read_one(const char *path, struct plot_data *d, struct traces *ts, struct buf *remarks,
	struct err *e)
{
	int kind = sniff(path, e), rc;
	size_t source;

	if (kind < 0)
		return -1;
	if (add_source(path, d, &source) < 0)
		return err_set(e, "out of memory");
	if (!kind)
		return read_table(path, source, d, e);
	rc = traces_load(ts, path, source, e);
	if (rc > 0 && buf_printf(remarks, "%s\n", e->msg) < 0)
		return err_set(e, "out of memory");
	return rc < 0 ? -1 : 0;
}

/* Files of one name in several directories go by their paths. */
static int tell_apart(char *const *paths, size_t n, struct plot_data *d)
{
	size_t first = d->n_sources - n;

	for (size_t i = 0; i < n; i++) {
		bool shared = false;

		for (size_t k = 0; k < n; k++)
			shared |= k != i && strcmp(paths[i], paths[k]) != 0 &&
				str_eq(show_name(paths[i]), show_name(paths[k]));
		if (!shared)
			continue;
		free(d->sources[first + i].name);
		d->sources[first + i].name = strdup(paths[i]);
		if (!d->sources[first + i].name)
			return -1;
	}
	return 0;
}

int input_read(char *const *paths, size_t n, const struct input_opts *o, struct plot_data *d,
	struct buf *remarks, struct err *e)
{
	struct traces ts = { .n = 0 };
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = read_one(paths[i], d, &ts, remarks, e);
	if (rc == 0 && tell_apart(paths, n, d) < 0)
		rc = err_set(e, "out of memory");
	if (rc == 0)
		rc = traces_analyze(&ts, o, d, e);
	traces_release(&ts);
	return rc;
}
