#include <config.h>

#include "replay/placing.h"

#include <math.h>
#include <stdlib.h>

/*
 * A closed loop with a duration plans what it can at most need: what a slot takes that gets
 * so many output tokens a second, within bounds that keep the plan quick to make.
 */
enum { CLOSED_TOKENS_PER_S = 1000, CLOSED_PER_S_MOST = 100, CLOSED_PER_S_UNKNOWN = 10 };
enum { CLOSED_LEAST = 100, CLOSED_MOST = 50000, COUNT_MOST = 100000000 };

static bool by_arrival(const struct plan_opts *o)
{
	for (size_t i = 0; i < o->n_levels; i++)
		if (o->loads[i].timing == TIMING_RECORDED)
			return true;
	return false;
}

int placing_init(struct placing *pl, struct plan *p, struct err *e)
{
	const struct source *s = p->source;
	int64_t *arrival_ns = calloc(s->n, sizeof(*arrival_ns));
	int rc;

	*pl = (struct placing){ .p = p, .sent_as = calloc(s->n, sizeof(*pl->sent_as)) };
	if (!arrival_ns || !pl->sent_as) {
		rc = err_set(e, "out of memory");
	} else {
		for (size_t i = 0; i < s->n; i++)
			arrival_ns[i] = s->items[i].arrival_ns;
		rc = recorded_init(&pl->rec, arrival_ns, s->n, &p->opts.recorded,
				   by_arrival(&p->opts), e);
	}
	free(arrival_ns);
	if (rc < 0)
		placing_release(pl);
	return rc;
}

void placing_release(struct placing *pl)
{
	recorded_release(&pl->rec);
	free(pl->sent_as);
	pl->sent_as = NULL;
}

static int64_t count_recorded(const struct recorded *r, const struct load *l, int64_t most)
{
	int64_t n = 0;

	while (n < most && recorded_due_ns(r, (size_t)n) < l->duration_ns)
		n++;
	return n;
}

static int64_t count_arrivals(const struct placing *pl, const struct load *l, uint64_t stream,
			      int64_t most)
{
	struct arrivals a;
	int64_t n = 0;

	arrivals_init(&a, l, pl->p->opts.req.seed, stream);
	while (n < most && arrivals_next(&a) != NS_NONE)
		n++;
	return n;
}

/* Requests a second that a slot can at most take. */
static double slot_hz(const struct placing *pl, int64_t scenario)
{
	const struct source *s = pl->p->source;
	double tokens = 0, n = 0;

	for (size_t i = 0; i < s->n; i++) {
		int64_t out = pl->p->opts.req.max_tokens != COUNT_NONE ?
			pl->p->opts.req.max_tokens : s->items[i].output_tokens;

		if (out == COUNT_NONE || (scenario >= 0 && i != (size_t)scenario))
			continue;
		tokens += (double)out;
		n++;
	}
	if (n == 0)
		return CLOSED_PER_S_UNKNOWN;
	if (tokens * CLOSED_PER_S_MOST < n * CLOSED_TOKENS_PER_S)
		return CLOSED_PER_S_MOST;
	return n * CLOSED_TOKENS_PER_S / tokens;
}

static int64_t count_closed(const struct placing *pl, const struct load *l, int64_t scenario)
{
	double n = (double)l->duration_ns / (double)NS_PER_S * (double)l->concurrency *
		slot_hz(pl, scenario);

	if (n < CLOSED_LEAST)
		n = CLOSED_LEAST;
	if (n < (double)pl->rec.n)
		n = (double)pl->rec.n;
	return n < CLOSED_MOST ? (int64_t)n : CLOSED_MOST;
}

int64_t placing_count(const struct placing *pl, const struct load *l, int64_t scenario,
		      uint64_t stream, int64_t asked)
{
	bool timed = l->duration_ns != NS_NONE;
	int64_t most = asked != COUNT_NONE ? asked : timed ? COUNT_MOST : (int64_t)pl->rec.n;

	if (l->timing == TIMING_CLOSED)
		return asked != COUNT_NONE || !timed ? most : count_closed(pl, l, scenario);
	if (l->timing == TIMING_BURST)
		return timed && asked == COUNT_NONE ? (int64_t)pl->rec.n : most;
	if (l->timing == TIMING_RECORDED) {
		/* A window of time over the recording; it is not gone through again unasked. */
		if (asked == COUNT_NONE)
			most = (int64_t)pl->rec.n;
		return timed ? count_recorded(&pl->rec, l, most) : most;
	}
	return count_arrivals(pl, l, stream, most);
}

void placing_begin(struct placing *pl, const struct plan_phase *ph)
{
	if (!ph->load.follows)
		for (size_t i = 0; i < pl->p->source->n; i++)
			pl->sent_as[i] = -1;
	pl->roots = 0;
	arrivals_init(&pl->arrivals, &ph->load, pl->p->opts.req.seed, ph->stream);
}

/* As recorded: from the end of the parent's answer to the turn's arrival; 0 if unknown. */
static int64_t think_ns(const struct plan *p, const struct plan_entry *en)
{
	const struct source_item *it = &p->source->items[en->item];
	const struct source_item *parent;
	int64_t t = it->x->req.scheduled_ns;

	if (en->parent < 0)
		return 0;
	if (!p->opts.think_recorded)
		return p->opts.think_ns;
	parent = &p->source->items[p->e[en->parent].item];
	if (t == NS_NONE)
		t = it->x->req.queued_ns != NS_NONE ? it->x->req.queued_ns : it->x->req.sent_ns;
	if (t == NS_NONE || !parent->x->has_response || parent->x->res.end_ns == NS_NONE)
		return 0;
	return t > parent->x->res.end_ns ? t - parent->x->res.end_ns : 0;
}

static int64_t due_ns(struct placing *pl, const struct plan_phase *ph, size_t k)
{
	switch (ph->load.timing) {
	case TIMING_CLOSED:
		return NS_NONE;
	case TIMING_RECORDED:
		return recorded_due_ns(&pl->rec, k);
	default:
		return arrivals_next(&pl->arrivals);
	}
}

/* Whose it is: a session goes by its first turn. */
static void assign(struct placing *pl, const struct plan_phase *ph, struct plan_entry *en)
{
	const struct plan_opts *o = &pl->p->opts;
	const struct plan_entry *root = &pl->p->e[en->root];
	int64_t c = ph->load.concurrency;

	if (ph->load.timing == TIMING_CLOSED && o->lanes)
		en->lane = (int64_t)(en->root - pl->p->phases[root->phase].first) % c;
	if (root != en)
		en->elsewhere = root->elsewhere;
	else if (ph->load.timing != TIMING_CLOSED)
		en->elsewhere = !shard_has_lot(&o->shard, o->req.seed, en->root);
	else
		en->elsewhere = !shard_has_turn(&o->shard, en->lane != COUNT_NONE ? en->lane :
						pl->roots++, c);
}

void placing_entry(struct placing *pl, size_t phase, size_t k)
{
	struct plan *p = pl->p;
	const struct plan_phase *ph = &p->phases[phase];
	bool one = ph->scenario >= 0; /* it repeats one item */
	size_t i = ph->first + k, at = ph->begun + k;
	size_t item = one ? (size_t)ph->scenario : pl->rec.item[at % pl->rec.n];
	const struct source_item *it = &p->source->items[item];
	int64_t parent = it->parent < 0 ? -1 : pl->sent_as[it->parent];
	struct plan_entry *en = &p->e[i];

	*en = (struct plan_entry){ .item = item, .phase = phase, .parent = -1, .root = i,
				   .lane = COUNT_NONE };
	en->pass = (int64_t)(one ? at : at / pl->rec.n);
	if (parent >= 0 && p->e[parent].pass == en->pass) {
		en->parent = parent;
		en->root = p->e[parent].root;
	}
	en->waits = en->parent >= 0;
	en->think_ns = think_ns(p, en);
	en->intended_ns = due_ns(pl, ph, k);
	assign(pl, ph, en);
	pl->sent_as[item] = (int64_t)i;
}

double placing_rate_hz(const struct placing *pl, const struct plan_phase *ph)
{
	const struct ramp *r = &ph->load.rate;
	int64_t span;

	if (ph->load.timing == TIMING_CLOSED || ph->load.timing == TIMING_BURST || ph->n == 0)
		return NAN;
	if (ph->load.timing != TIMING_RECORDED)
		return r->over_ns == 0 ? r->to : arrivals_rate_hz(&ph->load, (int64_t)ph->n);
	span = pl->p->e[ph->first + ph->n - 1].intended_ns;
	return ph->n < 2 || span <= 0 ? NAN : (double)(ph->n - 1) * 1e9 / (double)span;
}
