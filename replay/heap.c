#include <config.h>

#include "replay/heap.h"

#include <stdbool.h>
#include <stdlib.h>

int heap_init(struct heap *h, size_t n)
{
	*h = (struct heap){ .v = calloc(n + 1, sizeof(*h->v)) };
	return h->v ? 0 : -1;
}

void heap_release(struct heap *h)
{
	free(h->v);
	*h = (struct heap){ .n = 0 };
}

static bool before(const struct heap_item *a, const struct heap_item *b)
{
	return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->i < b->i;
}

void heap_push(struct heap *h, int64_t t_ns, size_t i)
{
	struct heap_item item = { t_ns, i };
	size_t at = h->n++;

	for (; at > 0 && before(&item, &h->v[(at - 1) / 2]); at = (at - 1) / 2)
		h->v[at] = h->v[(at - 1) / 2];
	h->v[at] = item;
}

int64_t heap_first(const struct heap *h)
{
	return h->n ? h->v[0].t_ns : INT64_MAX;
}

size_t heap_pop(struct heap *h)
{
	size_t first = h->v[0].i, at = 0;
	struct heap_item item = h->v[--h->n];

	for (;;) {
		size_t next = 2 * at + 1;

		if (next + 1 < h->n && before(&h->v[next + 1], &h->v[next]))
			next++;
		if (next >= h->n || !before(&h->v[next], &item))
			break;
		h->v[at] = h->v[next];
		at = next;
	}
	h->v[at] = item;
	return first;
}
