#include <config.h>

#include "replay/tokens.h"

#include <stdbool.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

size_t tokens_next(struct str text)
{
	size_t i = 0;

	if (text.n == 0)
		return 0;
	if (text.p[0] == ' ')
		i = 1;
	if (i < text.n && is_letter(text.p[i])) {
		while (i < text.n && is_letter(text.p[i]))
			i++;
		return i;
	}
	i = 0;
	while (i < text.n && i < 3 && is_digit(text.p[i]))
		i++;
	if (i)
		return i;
	while (i < text.n && is_space(text.p[i])) {
		/* The last space before a word belongs to the word. */
		if (i > 0 && text.p[i] == ' ' && i + 1 < text.n && is_letter(text.p[i + 1]))
			break;
		i++;
	}
	return i ? i : 1;
}

int64_t tokens_count(struct str text)
{
	int64_t n = 0;

	while (text.n) {
		size_t k = tokens_next(text);

		text.p += k;
		text.n -= k;
		n++;
	}
	return n;
}
