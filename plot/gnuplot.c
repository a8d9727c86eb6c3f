#include <config.h>

#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/place.h"

enum { PATH_BYTES = 4096, EXIT_NOT_FOUND = 127, LIMIT_S = 300 };

static int write_file(const char *dir, const char *kind, const char *suffix, struct str text,
	struct err *e)
{
	char path[PATH_BYTES];
	FILE *f;
	int bad;

	if (snprintf(path, sizeof(path), "%s/%s%s", dir, kind, suffix) >= (int)sizeof(path))
		return err_set(e, "%s: path too long", dir);
	f = fopen(path, "w");
	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	bad = fwrite(text.p, 1, text.n, f) != text.n;
	bad |= fclose(f) != 0;
	return bad ? err_set(e, "%s: %s", path, strerror(errno)) : 0;
}

int gnuplot_write_script(const struct script *s, const char *kind, const char *dir, struct err *e)
{
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_set(e, "%s: %s", dir, strerror(errno));
	if (write_file(dir, kind, ".gp", buf_str(&s->gp), e) < 0)
		return -1;
	return write_file(dir, kind, ".dat", buf_str(&s->data), e);
}

/* In the child: -d leaves the user's and the system's start-up files alone. */
static void run_child(const char *dir, const char *kind)
{
	char script[PATH_BYTES];
	int in = open("/dev/null", O_RDONLY), out;

	if (chdir(dir) < 0 || in < 0)
		_exit(EXIT_NOT_FOUND - 1);
	out = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(EXIT_NOT_FOUND - 1);
	snprintf(script, sizeof(script), "%s.gp", kind);
	setenv("LC_ALL", "C.UTF-8", 1); /* it warns of "set encoding utf8" in others */
	signal(SIGPIPE, SIG_DFL);
	alarm(LIMIT_S); /* survives exec: a gnuplot that hangs is ended */
	execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_FOUND - 1);
}

static int wait_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* What gnuplot said, on one line: the first so many bytes, blanks run together. */
static void read_complaint(const char *dir, char *text, size_t size)
{
	char path[PATH_BYTES], word[128];
	size_t n = 0;
	FILE *f;

	*text = '\0';
	snprintf(path, sizeof(path), "%s/stderr", dir);
	f = fopen(path, "r");
	while (f && n < size && fscanf(f, "%127s", word) == 1)
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", word);
	if (f)
		fclose(f);
}

static int explain(int status, const char *complaint, struct err *e)
{
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND)
		return err_set(e, "gnuplot is not installed or not in PATH; install it (Debian: apt install "
			"gnuplot-nox), or keep the script with --script DIR and run it elsewhere");
	if (status >= 0 && WIFSIGNALED(status))
		return err_set(e, "gnuplot ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(e, "gnuplot failed: %s", *complaint ? complaint : "it drew nothing and said nothing");
}

static int run(struct script *s, const char *kind, const char *dir, struct err *e)
{
	char complaint[300];
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return err_set(e, "cannot start gnuplot: %s", strerror(errno));
	if (pid == 0)
		run_child(dir, kind);
	status = wait_child(pid);
	read_complaint(dir, complaint, sizeof(complaint));
	if (status != 0)
		return explain(status, complaint, e);
	if (*complaint)
		script_remark(s, complaint);
	return 0;
}

static void remove_dir(const char *dir, const char *kind, const char *suffix)
{
	const char *const ends[] = { ".gp", ".dat", suffix };
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", dir, kind, ends[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/stderr", dir);
	unlink(path);
	rmdir(dir);
}

static int make_dir(char *dir, size_t size, struct err *e)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, size, "%s/tokplot.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return err_set(e, "%s: %s", dir, strerror(errno));
	return 0;
}

int gnuplot_draw(struct script *s, const char *kind, const struct format *f, const char *path,
	struct err *e)
{
	char dir[PATH_BYTES / 2], picture[PATH_BYTES];
	int rc;

	if (make_dir(dir, sizeof(dir), e) < 0)
		return -1;
	rc = gnuplot_write_script(s, kind, dir, e);
	if (rc == 0)
		rc = run(s, kind, dir, e);
	snprintf(picture, sizeof(picture), "%s/%s%s", dir, kind, f->suffix);
	if (rc == 0)
		rc = place_file(picture, path, e);
	remove_dir(dir, kind, f->suffix);
	return rc;
}
