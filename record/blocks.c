#include <config.h>

#include "record/blocks.h"

#include <stdlib.h>

static void put_id(char out[8], uint64_t id)
{
	for (int i = 0; i < 8; i++)
		out[i] = (char)(id >> (56 - 8 * i));
}

size_t blocks_make(struct mac *salt, struct str model, struct str prompt, uint64_t **ids)
{
	size_t n = (prompt.n + BLOCK_BYTES - 1) / BLOCK_BYTES;
	uint64_t *v = n ? calloc(n, sizeof(*v)) : NULL;
	struct str first[] = { str_of("model"), model };
	uint64_t before = mac_id(salt, first, 2);
	char chain[8];

	*ids = v;
	if (!v)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = i * BLOCK_BYTES, left = prompt.n - at;
		struct str parts[] = { { chain, sizeof(chain) },
				       { prompt.p + at, left < BLOCK_BYTES ? left : BLOCK_BYTES } };

		put_id(chain, before);
		v[i] = before = mac_id(salt, parts, 2);
	}
	return n;
}
