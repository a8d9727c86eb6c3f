#include <config.h>

#include "replay/start.h"

#include <math.h>

#include "formats/base/clock.h"
#include "formats/base/unit.h"
#include "formats/convert/timestamp.h"

/* The fraction apart: a double has no room for today's ns. */
static int parse_unix(const char *text, int64_t *wall_ns)
{
	size_t whole = strspn(text, "0123456789");
	int64_t s = 0;
	double fraction = 0;

	if (whole == 0 || whole > 10 || (text[whole] != '.' && text[whole] != '\0'))
		return -1;
	if (text[whole] == '.' && unit_parse_double(text + whole, &fraction) < 0)
		return -1;
	for (size_t i = 0; i < whole; i++)
		s = s * 10 + (text[i] - '0');
	if (fraction < 0 || fraction >= 1 || s > INT64_MAX / NS_PER_S - 1)
		return -1;
	*wall_ns = s * NS_PER_S + llround(fraction * (double)NS_PER_S);
	return 0;
}

int start_parse(const char *text, int64_t now_ns, int64_t *wall_ns, struct err *e)
{
	int64_t in_ns;

	if (text[0] == '+') {
		if (unit_parse_ns(text + 1, &in_ns) < 0 || in_ns > INT64_MAX - now_ns)
			return err_set(e, "'%s' is not like '+5s'", text);
		*wall_ns = now_ns + in_ns;
		return 0;
	}
	if (parse_unix(text, wall_ns) < 0 && timestamp_parse(str_of(text), wall_ns) < 0)
		return err_set(e, "'%s' is neither like '2026-12-01T14:00:00Z' nor seconds of Unix "
			       "time nor '+5s'", text);
	if (*wall_ns < now_ns)
		return err_set(e, "'%s' was %.1f s ago", text, (double)(now_ns - *wall_ns) / 1e9);
	return 0;
}
