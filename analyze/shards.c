#include <config.h>

#include "analyze/shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void read_shard(const struct rec_header *h, struct shard_place *p)
{
	struct str s = kvs_get(h->run, "shard");
	int64_t index, count;
	char text[64];

	p->index = 0;
	p->count = 1;
	if (s.n == 0 || s.n >= sizeof(text))
		return;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	if (sscanf(text, "%" SCNd64 "/%" SCNd64, &index, &count) != 2 || count < 1 || index < 0 ||
	    index >= count)
		return;
	p->index = index;
	p->count = count;
}

/* All segments of all traces in one row. */
struct row {
	const struct rec_header **h;
	struct shard_place *p;
	size_t n;
};

static bool can_join(const struct rec_header *h, const struct shard_place *p)
{
	return p->count > 1 && h->plan_digest.n && h->epoch_wall_ns != NS_NONE;
}

static bool is_first(const struct row *r, size_t k)
{
	for (size_t j = 0; j < k; j++)
		if (r->p[j].run == r->p[k].run)
			return false;
	return true;
}

/* True if part i is missing in the run that segment k began. */
static bool wanted(const struct row *r, size_t k, size_t i)
{
	const struct shard_place *first = &r->p[k], *p = &r->p[i];

	if (p->count != first->count || !can_join(r->h[k], first) ||
	    !str_eq(r->h[k]->plan_digest, r->h[i]->plan_digest))
		return false;
	for (size_t j = k; j < i; j++)
		if (r->p[j].run == first->run && r->p[j].index == p->index)
			return false;
	return true;
}

static void place(struct row *r)
{
	size_t runs = 0;

	for (size_t i = 0; i < r->n; i++) {
		size_t k = 0;

		read_shard(r->h[i], &r->p[i]);
		while (k < i && !(can_join(r->h[i], &r->p[i]) && is_first(r, k) && wanted(r, k, i)))
			k++;
		r->p[i].run = k < i ? r->p[k].run : runs++;
		r->p[i].offset_ns = k < i ? r->h[i]->epoch_wall_ns - r->h[k]->epoch_wall_ns : 0;
	}
}

struct shard_place *shards_place(const struct trace_data *t, size_t n)
{
	struct row r = { .n = 0 };
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += t[i].n_segments;
	r.h = calloc(total + 1, sizeof(*r.h));
	r.p = calloc(total + 1, sizeof(*r.p));
	if (!r.h || !r.p) {
		free(r.h);
		free(r.p);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t[i].n_segments; k++)
			r.h[r.n++] = &t[i].segments[k].header;
	place(&r);
	free(r.h);
	return r.p;
}

size_t shards_missing(const struct shard_place *p, size_t n)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++) {
		bool first = true;
		size_t here = 0;

		for (size_t k = 0; k < n; k++) {
			first = first && (k >= i || p[k].run != p[i].run);
			here += p[k].run == p[i].run;
		}
		if (first && p[i].count > 1)
			missing += (size_t)p[i].count - here;
	}
	return missing;
}
