#include <config.h>

#include "replay/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "replay/heap.h"

enum state { PLANNED, SET_ASIDE, QUEUED, SENT, ENDED, SKIPPED };

struct entry {
	enum state state;
	int64_t scheduled_ns, queued_ns, ended_ns;
	int64_t lane;
	size_t child, sibling;   /* lists of turns; the plan's n ends one */
};

struct dispatch {
	const struct plan *plan;
	const struct plan_phase *ph;
	struct entry *e;
	int64_t begin_ns;
	size_t cursor, end;      /* of the phase, in the plan: first not yet looked at */
	struct heap later;       /* turns that are due later */
	size_t *ready, head, tail; /* due, in the order of it */
	size_t set_aside, in_flight;
	bool *lane_busy;
	int64_t lanes, lowest;   /* how many there are; none below is free */
};

static void link_children(struct dispatch *d)
{
	size_t none = d->plan->n;

	for (size_t i = 0; i < none; i++)
		d->e[i] = (struct entry){ .scheduled_ns = NS_NONE, .queued_ns = NS_NONE,
					  .lane = COUNT_NONE, .child = none, .sibling = none };
	/* From the end, so that each list is in order. */
	for (size_t i = none; i-- > 0;) {
		const struct plan_entry *en = &d->plan->e[i];

		if (!en->waits)
			continue;
		d->e[i].sibling = d->e[en->parent].child;
		d->e[en->parent].child = i;
	}
}

struct dispatch *dispatch_create(const struct plan *p)
{
	struct dispatch *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->plan = p;
	d->e = calloc(p->n + 1, sizeof(*d->e));
	d->ready = calloc(p->n + 1, sizeof(*d->ready));
	if (!d->e || !d->ready || heap_init(&d->later, p->n) < 0) {
		dispatch_free(d);
		return NULL;
	}
	link_children(d);
	return d;
}

void dispatch_free(struct dispatch *d)
{
	if (!d)
		return;
	heap_release(&d->later);
	free(d->e);
	free(d->ready);
	free(d->lane_busy);
	free(d);
}

static bool is_closed(const struct dispatch *d)
{
	return d->ph->load.timing == TIMING_CLOSED;
}

static int room_for_lanes(struct dispatch *d, int64_t n)
{
	bool *more;

	if (n == COUNT_NONE || n <= d->lanes)
		return 0;
	more = realloc(d->lane_busy, (size_t)n * sizeof(*more));
	if (!more)
		return -1;
	memset(more + d->lanes, 0, (size_t)(n - d->lanes) * sizeof(*more));
	d->lane_busy = more;
	d->lanes = n;
	return 0;
}

/* The phase before was cut: turns that had not become due are of no more use. */
static void forget_leftovers(struct dispatch *d)
{
	d->later.n = 0;
	d->head = d->tail;
	d->set_aside = 0;
}

int dispatch_begin(struct dispatch *d, size_t phase, int64_t begin_ns)
{
	d->ph = &d->plan->phases[phase];
	if (!d->ph->load.follows)
		forget_leftovers(d);
	d->begin_ns = begin_ns;
	d->cursor = d->ph->first;
	d->end = d->ph->first + d->ph->n;
	return room_for_lanes(d, d->ph->load.concurrency);
}

static bool pending(const struct dispatch *d, size_t i)
{
	const struct plan_entry *en = &d->plan->e[i];

	return en->waits && d->e[en->parent].state != ENDED && d->e[en->parent].state != SKIPPED;
}

/* When a turn may go at the earliest; its parent has ended. */
static int64_t free_ns(const struct dispatch *d, size_t i)
{
	const struct plan_entry *en = &d->plan->e[i];

	if (!en->waits || d->e[en->parent].state == SKIPPED)
		return NS_NONE;
	return d->e[en->parent].ended_ns + en->think_ns;
}

static void make_ready(struct dispatch *d, size_t i, int64_t now_ns)
{
	d->e[i].state = QUEUED;
	d->e[i].queued_ns = now_ns;
	d->ready[d->tail++] = i;
}

/*
 * Its deadline has come, and its parent has ended.  A turn that is due later than its
 * deadline takes its place among what became due since, even if that is now.
 */
static void may_go(struct dispatch *d, size_t i, int64_t now_ns)
{
	int64_t t = free_ns(d, i);

	if (t <= d->e[i].scheduled_ns) {
		make_ready(d, i, now_ns);
		return;
	}
	d->e[i].scheduled_ns = t;
	heap_push(&d->later, t, i);
}

static void skip_others(struct dispatch *d)
{
	while (d->cursor < d->end && d->plan->e[d->cursor].elsewhere)
		d->cursor++;
}

static int64_t deadline_ns(const struct dispatch *d, size_t i)
{
	int64_t t = d->plan->e[i].intended_ns;

	return t > INT64_MAX - d->begin_ns ? INT64_MAX : d->begin_ns + t;
}

static void arrive(struct dispatch *d, int64_t now_ns)
{
	size_t i = d->cursor++;

	d->e[i].scheduled_ns = deadline_ns(d, i);
	if (pending(d, i)) {
		d->e[i].state = SET_ASIDE;
		d->set_aside++;
	} else {
		may_go(d, i, now_ns);
	}
	skip_others(d);
}

static int64_t next_arrival_ns(const struct dispatch *d)
{
	return is_closed(d) || d->cursor == d->end ? INT64_MAX : deadline_ns(d, d->cursor);
}

/* What has become due, in the order in which it did. */
static void note_due(struct dispatch *d, int64_t now_ns)
{
	skip_others(d);
	for (;;) {
		int64_t arrival = next_arrival_ns(d), turn = heap_first(&d->later);

		if (arrival > now_ns && turn > now_ns)
			return;
		if (arrival <= turn)
			arrive(d, now_ns);
		else
			make_ready(d, heap_pop(&d->later), now_ns);
	}
}

static int64_t cap_now(const struct dispatch *d, int64_t now_ns)
{
	int64_t cap = load_cap(&d->ph->load, now_ns - d->begin_ns);

	return cap == INT64_MAX ? cap : shard_share(&d->plan->opts.shard, cap);
}

/* The lane a request is bound to; COUNT_NONE: any. */
static int64_t pinned(const struct dispatch *d, size_t i)
{
	return is_closed(d) ? d->plan->e[i].lane : COUNT_NONE;
}

static int64_t take_lane(struct dispatch *d, size_t i)
{
	int64_t lane = pinned(d, i);

	if (d->ph->load.concurrency == COUNT_NONE)
		return COUNT_NONE;
	if (lane == COUNT_NONE) {
		for (lane = d->lowest; lane < d->lanes && d->lane_busy[lane];)
			lane++;
		d->lowest = lane;
	}
	if (lane == d->lanes)
		return COUNT_NONE;
	d->lane_busy[lane] = true;
	return lane;
}

/* The head of the closed loop, if nothing but a slot keeps it. */
static bool head_may_go(const struct dispatch *d, int64_t now_ns)
{
	size_t i = d->cursor;

	if (!is_closed(d) || i == d->end || pending(d, i) || free_ns(d, i) > now_ns)
		return false;
	return pinned(d, i) == COUNT_NONE || !d->lane_busy[pinned(d, i)];
}

static void hand_out(struct dispatch *d, size_t i, struct dispatched *out)
{
	const struct shard *s = &d->plan->opts.shard;
	struct entry *e = &d->e[i];

	*out = (struct dispatched){ i, e->scheduled_ns, e->queued_ns, e->lane };
	/* Lanes that are not pinned are counted apart: no two shards have the same one. */
	if (e->lane != COUNT_NONE && pinned(d, i) == COUNT_NONE)
		out->lane = e->lane * s->count + s->index;
}

bool dispatch_next(struct dispatch *d, int64_t now_ns, struct dispatched *out)
{
	size_t i;

	note_due(d, now_ns);
	if (d->in_flight >= (uint64_t)cap_now(d, now_ns))
		return false;
	if (d->head < d->tail) {
		i = d->ready[d->head++];
	} else if (head_may_go(d, now_ns)) {
		i = d->cursor++;
		d->e[i].queued_ns = now_ns;
		skip_others(d);
	} else {
		return false;
	}
	d->e[i].state = SENT;
	d->e[i].lane = take_lane(d, i);
	d->in_flight++;
	hand_out(d, i, out);
	return true;
}

static void end_entry(struct dispatch *d, size_t i, enum state how, int64_t now_ns)
{
	d->e[i].state = how;
	d->e[i].ended_ns = now_ns;
	for (size_t c = d->e[i].child; c != d->plan->n; c = d->e[c].sibling) {
		if (d->e[c].state != SET_ASIDE)
			continue;
		d->set_aside--;
		d->e[c].state = PLANNED;
		may_go(d, c, now_ns);
	}
}

void dispatch_ended(struct dispatch *d, size_t i, int64_t now_ns)
{
	int64_t lane = d->e[i].lane;

	d->in_flight--;
	if (lane != COUNT_NONE) {
		d->lane_busy[lane] = false;
		if (lane < d->lowest)
			d->lowest = lane;
	}
	end_entry(d, i, ENDED, now_ns);
}

static int64_t min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t dispatch_wake_ns(const struct dispatch *d, int64_t now_ns)
{
	int64_t t = min_ns(next_arrival_ns(d), heap_first(&d->later));
	int64_t rise = load_cap_rises_ns(&d->ph->load, now_ns - d->begin_ns);

	if (rise != INT64_MAX)
		t = min_ns(t, d->begin_ns + rise);
	if (is_closed(d) && d->cursor < d->end && !pending(d, d->cursor) &&
	    free_ns(d, d->cursor) > now_ns)
		t = min_ns(t, free_ns(d, d->cursor));
	return t;
}

bool dispatch_exhausted(const struct dispatch *d)
{
	return d->cursor == d->end && d->head == d->tail && d->set_aside == 0 &&
		heap_first(&d->later) == INT64_MAX;
}

void dispatch_time_over(struct dispatch *d)
{
	for (; d->cursor < d->end; d->cursor++)
		end_entry(d, d->cursor, SKIPPED, 0);
}

bool dispatch_drop(struct dispatch *d, struct dispatched *out)
{
	size_t i;

	if (d->head == d->tail)
		return false;
	i = d->ready[d->head++];
	hand_out(d, i, out);
	end_entry(d, i, SKIPPED, 0);
	return true;
}
