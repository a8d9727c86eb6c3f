#include <config.h>

#include "formats/base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *a, size_t n)
{
	size_t size = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_chunk *c = a->chunks;

	if (!c || a->left < size) {
		size_t chunk = size > CHUNK ? size : CHUNK;

		c = calloc(1, sizeof(*c) + chunk);
		if (!c)
			return NULL;
		c->size = chunk;
		c->next = a->chunks;
		a->chunks = c;
		a->left = chunk;
	}
	a->left -= size;
	return c->bytes + (c->size - a->left - size);
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p;

	if (!s.p)
		return s;
	p = arena_alloc(a, s.n + 1);
	if (!p)
		return (struct str){ NULL, 0 };
	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (struct str){ p, s.n };
}

void arena_release(struct arena *a)
{
	while (a->chunks) {
		struct arena_chunk *c = a->chunks;

		a->chunks = c->next;
		free(c);
	}
	a->left = 0;
}
