#include <config.h>

#include "replay/recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_recording(struct recording *g, const struct exchange *x)
{
	const struct rec_request *q = &x->req;

	g->x = x;
	if (q->body_digest.n == DIGEST_HEX)
		snprintf(g->digest, sizeof(g->digest), "%.*s", DIGEST_HEX, q->body_digest.p);
	else if (q->body.p)
		digest_bytes(q->body.p, q->body.n, g->digest);
}

static int by_digest(const void *a, const void *b, void *arg)
{
	const struct recording *v = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int c = strcmp(v[i].digest, v[k].digest);

	return c ? c : (i > k) - (i < k);
}

int recordings_init(struct recordings *r, const struct trace_data *t)
{
	*r = (struct recordings){ 0 };
	r->by_order = calloc(t->n + 1, sizeof(*r->by_order));
	r->by_digest = calloc(t->n + 1, sizeof(*r->by_digest));
	r->used = calloc(t->n + 1, sizeof(*r->used));
	if (!r->by_order || !r->by_digest || !r->used) {
		recordings_release(r);
		return -1;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (t->x[i].has_response)
			name_recording(&r->by_order[r->n++], &t->x[i]);
	}
	for (size_t i = 0; i < r->n; i++)
		r->by_digest[i] = i;
	qsort_r(r->by_digest, r->n, sizeof(*r->by_digest), by_digest, r->by_order);
	return 0;
}

void recordings_release(struct recordings *r)
{
	free(r->by_order);
	free(r->by_digest);
	free(r->used);
	*r = (struct recordings){ 0 };
}

static const char *digest_at(const struct recordings *r, size_t i)
{
	return r->by_order[r->by_digest[i]].digest;
}

const struct exchange *recordings_by_digest(struct recordings *r, const char *digest)
{
	size_t lo = 0, hi = r->n, run = 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(digest_at(r, mid), digest) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + run < r->n && strcmp(digest_at(r, lo + run), digest) == 0)
		run++;
	if (run == 0)
		return NULL;
	return r->by_order[r->by_digest[lo + r->used[lo]++ % run]].x;
}

const struct exchange *recordings_by_order(struct recordings *r)
{
	return r->by_order[r->next++ % r->n].x;
}
