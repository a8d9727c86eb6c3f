#include <config.h>

#include "record/flight.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first entry with an id not less. */
static size_t place(const struct flights *f, int64_t id)
{
	size_t lo = 0, hi = f->n;

	/* Nearly every new id is the largest. */
	if (hi && f->v[hi - 1].id < id)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int more_room(struct flights *f)
{
	size_t cap = f->cap ? 2 * f->cap : 256;
	struct flight *v;

	if (f->n < f->cap)
		return 0;
	v = realloc(f->v, cap * sizeof(*v));
	if (!v)
		return -1;
	f->v = v;
	f->cap = cap;
	return 0;
}

static void sweep(struct flights *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++)
		if (!f->v[i].over)
			f->v[kept++] = f->v[i];
	f->n = kept;
	f->n_over = 0;
}

struct flight *flights_add(struct flights *f, int64_t id, int file)
{
	size_t at;

	/* Each sweep is paid for by as many ends as it moves entries. */
	if (f->n == f->cap && 2 * f->n_over > f->n)
		sweep(f);
	if (more_room(f) < 0)
		return NULL;
	at = place(f, id);
	memmove(f->v + at + 1, f->v + at, (f->n - at) * sizeof(*f->v));
	f->v[at] = (struct flight){ .id = id, .file = file };
	f->n++;
	return &f->v[at];
}

struct flight *flights_find(struct flights *f, int64_t id)
{
	size_t at = place(f, id);

	for (; at < f->n && f->v[at].id == id; at++)
		if (!f->v[at].over)
			return &f->v[at];
	return NULL;
}

void flights_end(struct flights *f, struct flight *x)
{
	x->over = true;
	f->n_over++;
}

void flights_release(struct flights *f)
{
	free(f->v);
	*f = (struct flights){ .n = 0 };
}
