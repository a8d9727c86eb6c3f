#include <config.h>

#include "formats/base/unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit counts[] = {
	{ "", 1 }, { "k", 1024 }, { "K", 1024 }, { "m", 1048576 }, { "M", 1048576 },
	{ "g", 1073741824 }, { "G", 1073741824 }, { NULL, 0 },
};

static const struct unit durations[] = {
	{ "", 1e9 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 },
};

/* strtod() also takes " 1", "0x1", "inf" and "nan"; people never mean those here. */
static int parse_plain(const char *s, double *out, char **end)
{
	if (*s != '.' && *s != '-' && *s != '+' && (*s < '0' || *s > '9'))
		return -1;
	if (strpbrk(s, "xX"))
		return -1;
	errno = 0;
	*out = strtod(s, end);
	return *end == s || errno == ERANGE || !isfinite(*out) ? -1 : 0;
}

static int parse_scaled(const char *s, const struct unit *units, int64_t *out)
{
	double v;
	char *end;

	if (parse_plain(s, &v, &end) < 0 || v < 0)
		return -1;
	for (const struct unit *u = units; u->name; u++) {
		if (strcmp(end, u->name) != 0)
			continue;
		v *= u->factor;
		if (v >= 9.2e18)
			return -1;
		*out = (int64_t)(v + 0.5);
		return fabs(v - (double)*out) > 1e-6 * (1 + v) ? -1 : 0;
	}
	return -1;
}

int unit_parse_count(const char *s, int64_t *out)
{
	return parse_scaled(s, counts, out);
}

int unit_parse_ns(const char *s, int64_t *out)
{
	return parse_scaled(s, durations, out);
}

int unit_parse_double(const char *s, double *out)
{
	char *end;

	return parse_plain(s, out, &end) < 0 || *end ? -1 : 0;
}
