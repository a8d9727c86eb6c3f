#include <config.h>

#include "plot/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "runs/day.tok" -> "day"; the name to show for a file. */
static char *show_name(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t n;

	if (strcmp(path, "-") == 0)
		return strdup("stdin");
	base = base ? base + 1 : path;
	n = strlen(base);
	if (n > 4 && (strcmp(base + n - 4, ".tok") == 0 || strcmp(base + n - 4, ".tsv") == 0))
		n -= 4;
	return strndup(base, n);
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

static int add_source(const char *path, struct plot_data *d, size_t *source)
{
	char *name = show_name(path);
	struct source *s = name ? plot_data_add_source(d, name) : NULL;

	free(name);
	*source = d->n_sources - 1;
	return s ? 0 : -1;
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
		return err_set(e, "%s: no trace (it does not begin as zstd does)", path);
	rc = traces_load(ts, path, source, e);
	if (rc > 0 && buf_printf(remarks, "%s\n", e->msg) < 0)
		return err_set(e, "out of memory");
	return rc < 0 ? -1 : 0;
}

int input_read(char *const *paths, size_t n, const struct input_opts *o, struct plot_data *d,
	struct buf *remarks, struct err *e)
{
	struct traces ts = { .n = 0 };
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = read_one(paths[i], d, &ts, remarks, e);
	if (rc == 0)
		rc = traces_analyze(&ts, o, d, e);
	traces_release(&ts);
	return rc;
}
