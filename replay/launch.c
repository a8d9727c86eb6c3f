#include <config.h>

#include "replay/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { KEY_MAX = 8192, OWN_FILES = 64 };

static int read_key(const char *path, struct buf *out, struct err *e)
{
	char line[KEY_MAX];
	FILE *f = fopen(path, "r");
	bool got;

	if (!f)
		return err_set(e, "--api-key-file: %s: %s", path, strerror(errno));
	got = fgets(line, sizeof(line), f) != NULL;
	fclose(f);
	line[got ? strcspn(line, "\r\n") : 0] = '\0';
	if (!*line)
		return err_set(e, "--api-key-file: %s: no key in its first line", path);
	return buf_adds(out, line);
}

int launch_api_key(const char *file, const char *env_name, struct buf *out, struct err *e)
{
	const char *value;

	if (file)
		return read_key(file, out, e);
	value = getenv(env_name);
	if (value && buf_adds(out, value) < 0)
		return err_set(e, "the value of %s is too long for an API key", env_name);
	return 0;
}

int launch_room_for(int64_t n, struct err *e)
{
	struct rlimit lim;
	rlim_t need = (rlim_t)n + OWN_FILES;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return 0;
	if (lim.rlim_cur < lim.rlim_max) {
		struct rlimit raised = { lim.rlim_max, lim.rlim_max };

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			lim = raised;
	}
	if (lim.rlim_cur >= need)
		return 0;
	return err_set(e, "%" PRId64 " requests at once need %" PRIu64 " open files, and the limit "
		       "is %" PRIu64 "; lower -c, or raise it with 'ulimit -n %" PRIu64 "'", n,
		       (uint64_t)need, (uint64_t)lim.rlim_cur, (uint64_t)need);
}

bool launch_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && S_ISREG(sa.st_mode) &&
		sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

json_t *launch_object(const char *text, struct err *e)
{
	json_error_t je;
	json_t *j = json_loads(text, 0, &je);

	if (!j) {
		err_set(e, "no JSON: %s (at byte %d)", je.text, je.position);
		return NULL;
	}
	if (!json_is_object(j)) {
		json_decref(j);
		err_set(e, "no JSON object like '{\"top_p\":0.9}'");
		return NULL;
	}
	return j;
}
