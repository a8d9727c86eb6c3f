/* Memory that is freed all at once: for data that is loaded, used and dropped as a whole. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "formats/base/str.h"

struct arena {
	struct arena_chunk *chunks;
	size_t left; /* bytes free in the first chunk */
};

/* Aligned for any type, zeroed; NULL if out of memory.  Start with struct arena a = {0}. */
void *arena_alloc(struct arena *a, size_t n);
/* A copy, NUL-terminated; absent stays absent.  Out of memory gives absent. */
struct str arena_str(struct arena *a, struct str s);
void arena_release(struct arena *a);

#endif
