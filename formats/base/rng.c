#include <config.h>

#include "formats/base/rng.h"

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index)
{
	uint64_t x = seed;

	/* FNV-1a over the purpose, then one more mix for the index. */
	uint64_t h = 0xcbf29ce484222325u;

	for (const char *p = purpose; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	x = splitmix64(&x) ^ h;
	x = splitmix64(&x) ^ index;
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&x);
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	/* Numbers under the threshold would make the low remainders likelier. */
	uint64_t x, threshold = -n % n;

	do
		x = rng_u64(r);
	while (x < threshold);
	return x % n;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}
