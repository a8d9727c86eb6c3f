/* Numbers -> numbers: open addressing, for ids and block ids of one segment. */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap {
	struct idmap_slot {
		uint64_t key;
		size_t value; /* + 1; 0 = free */
	} * slots;
	size_t n, cap; /* cap: a power of two */
};

/* Starts as struct idmap m = {0}. */
void idmap_release(struct idmap *m);
/* Empties without giving memory back. */
void idmap_clear(struct idmap *m);
/* 1: added; 0: the key was there and keeps its value; -1: out of memory. */
int idmap_add(struct idmap *m, uint64_t key, size_t value);
/* The same, but the key's value becomes this one.  1, 0 or -1. */
int idmap_put(struct idmap *m, uint64_t key, size_t value);
bool idmap_find(const struct idmap *m, uint64_t key, size_t *value);

#endif
