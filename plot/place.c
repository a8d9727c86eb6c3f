#include <config.h>

#include "plot/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns bytes copied, or -1. */
static long long copy(FILE *in, FILE *out)
{
	char block[65536];
	long long sum = 0;
	size_t n;

	while ((n = fread(block, 1, sizeof(block), in)) > 0) {
		if (fwrite(block, 1, n, out) != n)
			return -1;
		sum += (long long)n;
	}
	return ferror(in) || fflush(out) != 0 ? -1 : sum;
}

static int write_into(FILE *in, const char *path, struct err *e)
{
	bool to_stdout = strcmp(path, "-") == 0;
	FILE *out = to_stdout ? stdout : fopen(path, "w");
	long long n;

	if (!out)
		return err_set(e, "%s: %s", path, strerror(errno));
	n = copy(in, out);
	if (n < 0)
		err_set(e, "%s: %s", to_stdout ? "standard output" : path, strerror(errno));
	if (!to_stdout && fclose(out) != 0 && n >= 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	return n < 0 ? -1 : 0;
}

/* As open(2) would have made it. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_temporary(FILE *in, int fd, mode_t mode)
{
	FILE *out = fdopen(fd, "w");
	bool bad;

	if (!out) {
		close(fd);
		return -1;
	}
	bad = copy(in, out) < 0 || fchmod(fd, mode) < 0;
	return fclose(out) != 0 || bad ? -1 : 0;
}

static int replace(FILE *in, const char *path, mode_t mode, struct err *e)
{
	size_t size = strlen(path) + sizeof(".XXXXXX");
	char *tmp = malloc(size);
	int fd, rc = 0;

	if (!tmp)
		return err_set(e, "out of memory");
	snprintf(tmp, size, "%s.XXXXXX", path);
	fd = mkstemp(tmp);
	if (fd < 0)
		rc = err_set(e, "%s: %s", path, strerror(errno));
	else if (write_temporary(in, fd, mode) < 0 || rename(tmp, path) < 0) {
		rc = err_set(e, "%s: %s", path, strerror(errno));
		unlink(tmp);
	}
	free(tmp);
	return rc;
}

static int place(FILE *in, const char *path, struct err *e)
{
	char *real = NULL;
	struct stat st;
	int rc;

	if (strcmp(path, "-") == 0)
		return write_into(in, path, e);
	if (stat(path, &st) < 0)
		return replace(in, path, usual_mode(), e);
	if (S_ISDIR(st.st_mode))
		return err_set(e, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return write_into(in, path, e);
	real = realpath(path, NULL);
	rc = real ? replace(in, real, st.st_mode & 07777, e) : err_set(e, "%s: %s", path, strerror(errno));
	free(real);
	return rc;
}

/* gnuplot begins text with a form feed, "nofeed" or not. */
static void skip_feed(FILE *in)
{
	int c = getc(in);

	if (c != '\f' && c != EOF)
		ungetc(c, in);
}

int place_file(const char *from, const char *path, struct err *e)
{
	FILE *in = fopen(from, "r");
	struct stat st;
	int rc;

	if (!in || fstat(fileno(in), &st) < 0 || st.st_size == 0)
		rc = err_set(e, "gnuplot drew nothing");
	else {
		skip_feed(in);
		rc = place(in, path, e);
	}
	if (in)
		fclose(in);
	return rc;
}
