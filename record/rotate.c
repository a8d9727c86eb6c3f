#include <config.h>

#include "record/rotate.h"

#include <string.h>
#include <time.h>

#include "formats/base/clock.h"

bool rotate_due(const struct rotate *r, int64_t age_ns, int64_t bytes, int64_t requests)
{
	if (requests == 0)
		return false;
	return (r->every_ns > 0 && age_ns >= r->every_ns) || (r->bytes > 0 && bytes >= r->bytes);
}

/* Where the name's ending begins: its last dot, unless that begins the name. */
static size_t stem(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

void rotate_name(const char *path, int64_t wall_ns, int try, struct buf *out)
{
	time_t t = (time_t)(wall_ns / NS_PER_S);
	size_t n = stem(path);
	struct tm tm = { 0 };
	char stamp[32];

	gmtime_r(&t, &tm);
	strftime(stamp, sizeof(stamp), "-%Y%m%dT%H%M%SZ", &tm);
	buf_add(out, path, n);
	buf_adds(out, stamp);
	if (try > 1)
		buf_printf(out, "-%d", try);
	buf_adds(out, path + n);
}
