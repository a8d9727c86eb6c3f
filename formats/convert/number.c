#include <config.h>

#include "formats/convert/number.h"

#include <stdbool.h>

enum { EXPONENT_MAX = 400 };

/* A decimal number taken apart: digits and where the point stands among them. */
struct decimal {
	bool negative;
	const char *whole, *fraction;
	size_t n_whole, n_fraction;
	int exponent;
};

static size_t digits(struct str *s, const char **at)
{
	size_t n = 0;

	*at = s->p;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	s->p += n;
	s->n -= n;
	return n;
}

static bool skip(struct str *s, const char *any)
{
	if (s->n == 0 || !*s->p || !strchr(any, *s->p))
		return false;
	s->p++;
	s->n--;
	return true;
}

static int exponent(struct str *s, int *out)
{
	bool negative = s->n && *s->p == '-';
	const char *at;
	size_t n;

	skip(s, "+-");
	n = digits(s, &at);
	if (n == 0)
		return -1;
	*out = 0;
	for (size_t i = 0; i < n && *out < EXPONENT_MAX; i++)
		*out = *out * 10 + (at[i] - '0');
	if (negative)
		*out = -*out;
	return 0;
}

static int take_apart(struct str s, struct decimal *d)
{
	*d = (struct decimal){ .negative = s.n && *s.p == '-' };
	if (d->negative)
		skip(&s, "-");
	d->n_whole = digits(&s, &d->whole);
	if (skip(&s, ".") && (d->n_fraction = digits(&s, &d->fraction)) == 0)
		return -1;
	if (d->n_whole == 0 || (skip(&s, "eE") && exponent(&s, &d->exponent) < 0))
		return -1;
	return s.n ? -1 : 0;
}

/* The i-th digit of whole and fraction together; 0 behind them. */
static int digit(const struct decimal *d, size_t i)
{
	if (i < d->n_whole)
		return d->whole[i] - '0';
	i -= d->n_whole;
	return i < d->n_fraction ? d->fraction[i] - '0' : 0;
}

int number_scaled(struct str s, int shift, int64_t *out)
{
	struct decimal d;
	int64_t v = 0, places;

	if (take_apart(s, &d) < 0)
		return -1;
	places = (int64_t)d.n_whole + d.exponent + shift;
	for (int64_t i = 0; i < places; i++) {
		v = v * 10 + digit(&d, (size_t)i);
		if (v > INT64_C(1) << 58 && i + 1 < places)
			return -1;
	}
	if (places >= 0 && digit(&d, (size_t)places) >= 5)
		v++;
	if (v > INT64_C(1) << 62)
		return -1;
	*out = d.negative ? -v : v;
	return 0;
}

int number_tokens(struct str s, int64_t *out)
{
	struct decimal d;
	int64_t v = 0;

	if (take_apart(s, &d) < 0 || d.negative || d.exponent)
		return -1;
	for (size_t i = 0; i < d.n_fraction; i++)
		if (d.fraction[i] != '0')
			return -1;
	for (size_t i = 0; i < d.n_whole; i++) {
		v = v * 10 + (d.whole[i] - '0');
		if (v > TOKENS_MAX)
			return -1;
	}
	*out = v;
	return 0;
}

int number_u64(struct str s, uint64_t *out)
{
	uint64_t v = 0;

	if (s.n == 0)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return -1;
	}
	*out = v;
	return 0;
}
