#include <config.h>

#include "replay/verify_pair.h"

/* Ways to name a request; a key of one way never meets one of another. */
enum way { BY_PLACE = 1, BY_BODY, BY_SOURCE };

/* splitmix64's last step: spreads a word over all bits. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t join(uint64_t a, uint64_t b)
{
	return mix(mix(a) + b);
}

bool verify_measured(const struct trace_data *d, const struct exchange *x)
{
	const struct rec_phase *ph = trace_data_phase(d, x);

	return !ph || (ph->kind != PHASE_WARMUP && ph->kind != PHASE_ACCEPTANCE);
}

int64_t verify_concurrency(const struct trace_data *d, const struct exchange *x)
{
	const struct rec_phase *ph = trace_data_phase(d, x);

	return ph ? ph->concurrency : COUNT_NONE;
}

/* The first 64 bits of a digest in hex; 0 if there is none. */
static uint64_t digest_bits(struct str hex)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 16 && i < hex.n; i++) {
		char c = hex.p[i];

		v = v << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
	}
	return v;
}

/* The key of an exchange in one way; false: it has none. */
static bool key_of(const struct exchange *x, enum way w, uint64_t *key)
{
	uint64_t v = 0;

	if (w == BY_PLACE)
		v = join((uint64_t)x->segment, (uint64_t)x->req.id);
	else if (w == BY_BODY && x->req.body_digest.n)
		v = digest_bits(x->req.body_digest);
	else if (w == BY_SOURCE && x->req.source_id != COUNT_NONE)
		v = (uint64_t)x->req.source_id;
	else
		return false;
	*key = join((uint64_t)w, v);
	return true;
}

/* How a source is named by the source_id of its repetitions (source.h). */
static uint64_t source_key(const struct trace_data *d, size_t i)
{
	return join(BY_SOURCE, d->n_segments > 1 ? i : (uint64_t)d->x[i].req.id);
}

/* x is a better first one than the one at hand: it ended ok, at a lower concurrency. */
static bool better(const struct trace_data *d, const struct exchange *x, const struct exchange *old)
{
	int64_t c = verify_concurrency(d, x), o = verify_concurrency(d, old);

	if ((x->res.status == ST_OK) != (old->res.status == ST_OK))
		return x->res.status == ST_OK;
	return c != COUNT_NONE && (o == COUNT_NONE || c < o);
}

/* How many with this key and concurrency came before, counted in m.  0 or -1. */
static int count_up(struct idmap *m, uint64_t key, int64_t concurrency, uint64_t *n)
{
	uint64_t k = join(key, (uint64_t)concurrency);
	size_t before = 0;

	idmap_find(m, k, &before);
	*n = before;
	return idmap_put(m, k, before + 1) < 0 ? -1 : 0;
}

static int add(struct verify_index *ix, struct idmap *count, size_t i, uint64_t key)
{
	const struct trace_data *d = ix->reference;
	int64_t c = verify_concurrency(d, &d->x[i]);
	uint64_t n;
	size_t old;

	if (count_up(count, key, c, &n) < 0)
		return -1;
	if (!d->x[i].has_response)
		return 0;
	if (idmap_add(&ix->exact, join(join(key, (uint64_t)c), n), i) < 0)
		return -1;
	if (idmap_find(&ix->first, key, &old) && !better(d, &d->x[i], &d->x[old]))
		return 0;
	return idmap_put(&ix->first, key, i) < 0 ? -1 : 0;
}

static int add_all_ways(struct verify_index *ix, struct idmap *count, size_t i)
{
	const struct trace_data *d = ix->reference;
	uint64_t key;

	if (ix->against == VERIFY_RECORDED)
		return add(ix, count, i, source_key(d, i));
	for (enum way w = BY_PLACE; w <= BY_SOURCE; w++)
		if (key_of(&d->x[i], w, &key) && add(ix, count, i, key) < 0)
			return -1;
	return 0;
}

static struct str digest_of_first(const struct trace_data *d, bool plan)
{
	if (d->n_segments != 1)
		return (struct str){ NULL, 0 };
	return plan ? d->segments[0].header.plan_digest : d->segments[0].header.source_digest;
}

static bool agree(const struct trace_data *a, const struct trace_data *b, bool plan)
{
	struct str x = digest_of_first(a, plan);

	return x.n && str_eq(x, digest_of_first(b, plan));
}

int verify_index_init(struct verify_index *ix, const struct trace_data *run,
		      const struct trace_data *reference, enum verify_against against)
{
	struct idmap count = { NULL, 0, 0 };
	int rc = 0;

	*ix = (struct verify_index){ .run = run, .reference = reference, .against = against };
	ix->one_plan = agree(run, reference, true);
	ix->one_source = agree(run, reference, false);
	for (size_t i = 0; i < reference->n && rc == 0; i++)
		if (verify_measured(reference, &reference->x[i]))
			rc = add_all_ways(ix, &count, i);
	idmap_release(&count);
	return rc;
}

void verify_index_release(struct verify_index *ix)
{
	idmap_release(&ix->exact);
	idmap_release(&ix->first);
	idmap_release(&ix->seen);
}

/* The one of the same concurrency and order among those with the key, else the first. */
static int look_up(struct verify_index *ix, const struct exchange *x, uint64_t key,
		   const struct exchange **partner)
{
	int64_t c = verify_concurrency(ix->run, x);
	uint64_t n;
	size_t at;

	if (count_up(&ix->seen, key, c, &n) < 0)
		return -1;
	if (ix->against == VERIFY_OTHER &&
	    idmap_find(&ix->exact, join(join(key, (uint64_t)c), n), &at))
		*partner = &ix->reference->x[at];
	else if (idmap_find(&ix->first, key, &at))
		*partner = &ix->reference->x[at];
	return 0;
}

int verify_partner(struct verify_index *ix, const struct exchange *x,
		   const struct exchange **partner, bool *is_reference)
{
	static const enum way ways[][4] = {
		[VERIFY_RECORDED] = { BY_SOURCE },
		[VERIFY_OTHER] = { BY_PLACE, BY_BODY, BY_SOURCE },
		[VERIFY_LEVELS] = { BY_BODY },
	};
	uint64_t key;

	*partner = NULL;
	*is_reference = false;
	for (const enum way *w = ways[ix->against]; *w && !*partner; w++) {
		if (ix->against == VERIFY_OTHER && ((*w == BY_PLACE && !ix->one_plan) ||
						    (*w == BY_SOURCE && !ix->one_source)))
			continue;
		if (key_of(x, *w, &key) && look_up(ix, x, key, partner) < 0)
			return -1;
	}
	if (ix->against == VERIFY_LEVELS && *partner == x) {
		*is_reference = true;
		*partner = NULL;
	}
	return 0;
}
