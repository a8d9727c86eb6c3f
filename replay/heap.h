/* Numbers by time, the earliest first; among equal times the smallest number. */
#ifndef REPLAY_HEAP_H
#define REPLAY_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
	int64_t t_ns;
	size_t i;
};

struct heap {
	struct heap_item *v;
	size_t n;
};

/* Room for n items.  0 or -1 (out of memory). */
int heap_init(struct heap *h, size_t n);
void heap_release(struct heap *h);
void heap_push(struct heap *h, int64_t t_ns, size_t i);
/* The earliest time; INT64_MAX if it is empty. */
int64_t heap_first(const struct heap *h);
/* Takes the earliest item; not from an empty heap. */
size_t heap_pop(struct heap *h);

#endif
