#include <config.h>

#include "replay/prefix.h"

#include <stdlib.h>

struct entry {
	uint64_t id;
	int64_t holds;
	struct entry *chain;          /* next in its bucket */
	struct entry *older, *newer;  /* among the idle ones */
};

struct prefix {
	struct entry **buckets;
	size_t n_buckets;             /* a power of two */
	size_t n, idle;
	struct entry *oldest, *newest;
};

enum { BUCKETS_MIN = 1024 };

struct prefix *prefix_create(void)
{
	struct prefix *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->n_buckets = BUCKETS_MIN;
	p->buckets = calloc(p->n_buckets, sizeof(struct entry *));
	if (p->buckets)
		return p;
	free(p);
	return NULL;
}

void prefix_free(struct prefix *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_buckets; i++) {
		struct entry *next;

		for (struct entry *e = p->buckets[i]; e; e = next) {
			next = e->chain;
			free(e);
		}
	}
	free(p->buckets);
	free(p);
}

/* Ids are hashes, but an imported trace may number its blocks 0, 1, 2. */
static size_t bucket_of(const struct prefix *p, uint64_t id)
{
	return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (p->n_buckets - 1);
}

static struct entry *find(const struct prefix *p, uint64_t id)
{
	struct entry *e = p->buckets[bucket_of(p, id)];

	while (e && e->id != id)
		e = e->chain;
	return e;
}

static void idle_push(struct prefix *p, struct entry *e)
{
	e->older = p->newest;
	e->newer = NULL;
	if (p->newest)
		p->newest->newer = e;
	else
		p->oldest = e;
	p->newest = e;
	p->idle++;
}

static void idle_remove(struct prefix *p, struct entry *e)
{
	if (e->older)
		e->older->newer = e->newer;
	else
		p->oldest = e->newer;
	if (e->newer)
		e->newer->older = e->older;
	else
		p->newest = e->older;
	p->idle--;
}

size_t prefix_hold(struct prefix *p, const uint64_t *ids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct entry *e = find(p, ids[i]);

		if (!e)
			break;
		if (e->holds++ == 0)
			idle_remove(p, e);
	}
	return i;
}

/* Twice the buckets; without memory the chains just grow longer. */
static void grow(struct prefix *p)
{
	struct entry **old = p->buckets;
	size_t n = p->n_buckets;
	struct entry **v = calloc(n * 2, sizeof(struct entry *));

	if (!v)
		return;
	p->buckets = v;
	p->n_buckets = n * 2;
	for (size_t i = 0; i < n; i++) {
		struct entry *next;

		for (struct entry *e = old[i]; e; e = next) {
			size_t b = bucket_of(p, e->id);

			next = e->chain;
			e->chain = v[b];
			v[b] = e;
		}
	}
	free(old);
}

bool prefix_add(struct prefix *p, uint64_t id)
{
	struct entry *e;
	size_t b;

	if (find(p, id))
		return false;
	e = calloc(1, sizeof(*e));
	if (!e)
		return false;
	if (p->n >= p->n_buckets)
		grow(p);
	b = bucket_of(p, id);
	e->id = id;
	e->holds = 1;
	e->chain = p->buckets[b];
	p->buckets[b] = e;
	p->n++;
	return true;
}

void prefix_drop(struct prefix *p, const uint64_t *ids, size_t n)
{
	while (n-- > 0) {
		struct entry *e = find(p, ids[n]);

		if (--e->holds == 0)
			idle_push(p, e);
	}
}

void prefix_evict(struct prefix *p)
{
	struct entry *e = p->oldest, **at = &p->buckets[bucket_of(p, e->id)];

	idle_remove(p, e);
	while (*at != e)
		at = &(*at)->chain;
	*at = e->chain;
	p->n--;
	free(e);
}

size_t prefix_idle(const struct prefix *p)
{
	return p->idle;
}
