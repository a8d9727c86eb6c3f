#include <config.h>

#include "formats/base/utf8.h"

size_t utf8_decode(struct str s, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c;
	uint32_t v;
	size_t n;

	if (s.n == 0)
		return 0;
	c = (unsigned char)s.p[0];
	n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
	if (n == 0 || n > s.n)
		return 0;
	v = n == 1 ? c : c & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | ((unsigned char)s.p[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	if (cp)
		*cp = v;
	return n;
}

bool utf8_valid(struct str s)
{
	while (s.n) {
		size_t k = utf8_decode(s, NULL);

		if (k == 0)
			return false;
		s.p += k;
		s.n -= k;
	}
	return true;
}

size_t utf8_encode(uint32_t cp, char out[4])
{
	size_t n;

	if ((cp >= 0xd800 && cp < 0xe000) || cp > 0x10ffff)
		cp = 0xfffd;
	n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	if (n == 1) {
		out[0] = (char)cp;
		return 1;
	}
	for (size_t i = n - 1; i > 0; i--, cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)((0xf00u >> n & 0xff) | cp);
	return n;
}
