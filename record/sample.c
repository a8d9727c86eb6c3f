#include <config.h>

#include "record/sample.h"

#include <stdio.h>

#include "formats/base/unit.h"

int sample_parse(const char *s, double *share)
{
	size_t n = strlen(s);
	char number[32];

	if (n == 0 || n >= sizeof(number))
		return -1;
	snprintf(number, sizeof(number), "%.*s", (int)(n - (s[n - 1] == '%')), s);
	if (unit_parse_double(number, share) < 0)
		return -1;
	if (s[n - 1] == '%')
		*share /= 100;
	return *share > 0 && *share <= 1 ? 0 : -1;
}

bool sample_keeps(struct mac *salt, struct str label, double share)
{
	struct str parts[] = { str_of("sample"), label };

	/* 53 bits, so that the number below 1 is exact. */
	return (double)(mac_id(salt, parts, 2) >> 11) * 0x1p-53 < share;
}
