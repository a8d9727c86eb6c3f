#include <config.h>

#include "formats/base/idmap.h"

#include <stdlib.h>
#include <string.h>

static struct idmap_slot *slot_of(const struct idmap *m, uint64_t key)
{
	/* Fibonacci hashing: neighbouring ids, the usual case, fall far apart. */
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (m->cap - 1);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static int grow(struct idmap *m)
{
	struct idmap big = { NULL, m->n, m->cap ? 2 * m->cap : 1024 };

	big.slots = calloc(big.cap, sizeof(*big.slots));
	if (!big.slots)
		return -1;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value)
			*slot_of(&big, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = big;
	return 0;
}

void idmap_release(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){ NULL, 0, 0 };
}

void idmap_clear(struct idmap *m)
{
	if (m->n)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->n = 0;
}

/* replace: a key that was there takes the new value. */
static int set(struct idmap *m, uint64_t key, size_t value, bool replace)
{
	struct idmap_slot *s;
	bool there;

	if (2 * (m->n + 1) > m->cap && grow(m) < 0)
		return -1;
	s = slot_of(m, key);
	there = s->value != 0;
	if (!there || replace)
		*s = (struct idmap_slot){ key, value + 1 };
	m->n += !there;
	return !there;
}

int idmap_add(struct idmap *m, uint64_t key, size_t value)
{
	return set(m, key, value, false);
}

int idmap_put(struct idmap *m, uint64_t key, size_t value)
{
	return set(m, key, value, true);
}

bool idmap_find(const struct idmap *m, uint64_t key, size_t *value)
{
	const struct idmap_slot *s = m->n ? slot_of(m, key) : NULL;

	if (!s || !s->value)
		return false;
	*value = s->value - 1;
	return true;
}
