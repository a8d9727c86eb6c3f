#include <config.h>

#include "replay/verify.h"

#include <stdlib.h>

#include "formats/base/room.h"
#include "replay/verify_pair.h"

const char *verify_against_name(enum verify_against a)
{
	static const char *const names[] = { "recorded", "other", "levels" };

	return names[a];
}

size_t verify_compared(const struct verify_group *g)
{
	return g->pairs - g->failed - g->no_text;
}

static int compare_groups(const void *a, const void *b)
{
	const struct verify_group *x = a, *y = b;

	if (x->concurrency != y->concurrency)
		return x->concurrency < y->concurrency ? -1 : 1;
	return (x->reference_concurrency > y->reference_concurrency) -
		(x->reference_concurrency < y->reference_concurrency);
}

static struct verify_group *group_of(struct verify *v, int64_t c, int64_t reference_c)
{
	for (size_t i = 0; i < v->n_groups; i++)
		if (v->groups[i].concurrency == c &&
		    v->groups[i].reference_concurrency == reference_c)
			return &v->groups[i];
	if (room_for_one(&v->groups, v->n_groups, &v->cap_groups, sizeof(*v->groups)) < 0)
		return NULL;
	v->groups[v->n_groups] = (struct verify_group){ .concurrency = c,
							.reference_concurrency = reference_c };
	return &v->groups[v->n_groups++];
}

static bool ended_ok(const struct exchange *x)
{
	return x->has_response && x->res.last && x->res.status == ST_OK;
}

static bool other_count(const struct exchange *a, const struct exchange *b)
{
	int64_t n = a->res.usage.completion, m = b->res.usage.completion;

	return n != COUNT_NONE && m != COUNT_NONE && n != m;
}

static int note(struct verify *v, struct verify_group *g, const struct exchange *x,
		const struct exchange *reference, const struct likeness *l)
{
	bool same_body = x->req.body_digest.n && str_eq(x->req.body_digest, reference->req.body_digest);

	g->identical += l->identical;
	g->same_events += l->same_events;
	g->other_body += !same_body;
	g->other_count += l->identical && other_count(x, reference);
	if (l->identical)
		return 0;
	if (room_for_one(&v->differ, v->n_differ, &v->cap_differ, sizeof(*v->differ)) < 0)
		return -1;
	v->differ[v->n_differ++] = (struct verify_pair){
		x, reference, g->concurrency, g->reference_concurrency, same_body, l->first,
	};
	return 0;
}

static int compare(struct verify *v, struct verify_group *g, const struct exchange *x,
		   const struct exchange *reference)
{
	struct answer a, b = { .n_channels = 0 };
	struct likeness l;
	int rc = 0;

	g->pairs++;
	if (!ended_ok(x) || !ended_ok(reference)) {
		g->failed++;
		return 0;
	}
	if (answer_of(&x->res, &a) < 0 || answer_of(&reference->res, &b) < 0) {
		rc = -1;
	} else if (!a.has_text || !b.has_text) {
		g->no_text++;
	} else {
		answers_compare(&a, &b, &v->store, &l);
		rc = note(v, g, x, reference, &l);
	}
	answer_release(&a);
	answer_release(&b);
	return rc;
}

static int verify_one(struct verify *v, struct verify_index *ix, const struct exchange *x)
{
	const struct exchange *reference;
	struct verify_group *g;
	bool is_reference;

	if (verify_partner(ix, x, &reference, &is_reference) < 0)
		return -1;
	if (!reference) {
		v->unpaired += !is_reference;
		return 0;
	}
	g = group_of(v, verify_concurrency(ix->run, x), verify_concurrency(ix->reference, reference));
	return g ? compare(v, g, x, reference) : -1;
}

static void sum_up(struct verify *v)
{
	v->all = (struct verify_group){ .concurrency = COUNT_NONE, .reference_concurrency = COUNT_NONE };
	for (size_t i = 0; i < v->n_groups; i++) {
		const struct verify_group *g = &v->groups[i];

		v->all.pairs += g->pairs;
		v->all.failed += g->failed;
		v->all.no_text += g->no_text;
		v->all.identical += g->identical;
		v->all.same_events += g->same_events;
		v->all.other_body += g->other_body;
		v->all.other_count += g->other_count;
	}
	if (v->n_groups)
		qsort(v->groups, v->n_groups, sizeof(*v->groups), compare_groups);
}

int verify_run(const struct trace_data *run, const struct trace_data *reference,
	       enum verify_against against, struct verify *v, struct err *e)
{
	struct verify_index ix;
	int rc;

	*v = (struct verify){ .against = against };
	rc = verify_index_init(&ix, run, reference, against);
	for (size_t i = 0; i < run->n && rc == 0; i++)
		if (verify_measured(run, &run->x[i]))
			rc = verify_one(v, &ix, &run->x[i]);
	verify_index_release(&ix);
	sum_up(v);
	if (rc < 0) {
		verify_release(v);
		return err_set(e, "out of memory");
	}
	return 0;
}

void verify_release(struct verify *v)
{
	free(v->groups);
	free(v->differ);
	arena_release(&v->store);
	*v = (struct verify){ .n_groups = 0 };
}
