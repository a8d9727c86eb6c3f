#include <config.h>

#include "formats/convert/timestamp.h"

#include "formats/base/clock.h"

/* n digits at *p, moved on; -1 if there are not that many. */
static int64_t digits(struct str *s, size_t n)
{
	int64_t v = 0;

	if (s->n < n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return -1;
		v = v * 10 + (s->p[i] - '0');
	}
	s->p += n;
	s->n -= n;
	return v;
}

static bool skip(struct str *s, const char *any)
{
	if (s->n == 0 || !strchr(any, s->p[0]) || s->p[0] == '\0')
		return false;
	s->p++;
	s->n--;
	return true;
}

/* Days from 1970-01-01 to a date of the proleptic Gregorian calendar, counting years from March. */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	int64_t year = m <= 2 ? y - 1 : y, month = m <= 2 ? m + 9 : m - 3;
	int64_t leap_days = year / 4 - year / 100 + year / 400;

	return 365 * year + leap_days + (153 * month + 2) / 5 + d - 1 - 719468;
}

static bool date_ok(int64_t y, int64_t m, int64_t d)
{
	static const int month_days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
	};
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return y >= 1 && m >= 1 && m <= 12 && d >= 1 &&
	       d <= month_days[m - 1] + (m == 2 && leap);
}

static int fraction(struct str *s, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;
	size_t n = 0;

	*ns = 0;
	if (!skip(s, "."))
		return 0;
	for (; s->n && s->p[0] >= '0' && s->p[0] <= '9';
	     s->p++, s->n--, n++, unit /= 10) {
		if (unit == 0 && s->p[0] != '0')
			return -1;
		*ns += (s->p[0] - '0') * unit;
	}
	return n ? 0 : -1;
}

/* "", "Z", "+02:00", "+0200", "+02": seconds east. */
static int zone(struct str *s, int64_t *seconds)
{
	bool west;
	int64_t h, m = 0;

	*seconds = 0;
	if (s->n == 0 || skip(s, "Zz"))
		return s->n ? -1 : 0;
	west = s->p[0] == '-';
	if (!skip(s, "+-"))
		return -1;
	h = digits(s, 2);
	skip(s, ":");
	if (s->n)
		m = digits(s, 2);
	if (s->n || h < 0 || h > 23 || m < 0 || m > 59)
		return -1;
	*seconds = (west ? -1 : 1) * (h * 3600 + m * 60);
	return 0;
}

int timestamp_parse(struct str s, int64_t *ns)
{
	int64_t y, mo, d, h, mi, sec, frac, east;

	y = digits(&s, 4);
	if (!skip(&s, "-") || (mo = digits(&s, 2)) < 0 || !skip(&s, "-") ||
	    (d = digits(&s, 2)) < 0)
		return -1;
	if (!skip(&s, " Tt") || (h = digits(&s, 2)) < 0 || !skip(&s, ":") ||
	    (mi = digits(&s, 2)) < 0)
		return -1;
	if (!skip(&s, ":") || (sec = digits(&s, 2)) < 0 || fraction(&s, &frac) < 0)
		return -1;
	while (s.n && s.p[0] == ' ')
		skip(&s, " ");
	if (zone(&s, &east) < 0 || !date_ok(y, mo, d) || h > 23 || mi > 59 || sec > 60)
		return -1;
	if (y < 1700 || y > 2250)
		return -1; /* outside of what int64 ns can say */
	*ns = ((days_of(y, mo, d) * 24 + h) * 60 + mi) * 60 * NS_PER_S +
	      (sec - east) * NS_PER_S + frac;
	return 0;
}
