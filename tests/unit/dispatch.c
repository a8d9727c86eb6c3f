/*
 * dispatch: what is sent when, on a made-up clock, against a naive reference that looks at
 * every request at every tick.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "formats/base/rng.h"
#include "replay/dispatch.h"

enum { MANY = 40, NEVER = 1 << 30 };

/* A plan without bodies, and how long each answer takes. */
struct world {
	struct plan p;
	struct plan_phase ph[2];
	struct plan_entry e[MANY];
	int64_t answer_ns[MANY];
};

static void make_phase(struct world *w, const struct load *l, size_t n)
{
	w->p = (struct plan){ .phases = w->ph, .n_phases = 1, .e = w->e, .n = n,
			      .opts = { .shard = { 0, 1 } } };
	w->ph[0] = (struct plan_phase){ .kind = PHASE_ROUND, .load = *l, .n = n };
	for (size_t i = 0; i < n; i++) {
		w->e[i] = (struct plan_entry){ .parent = -1, .root = i, .lane = COUNT_NONE,
					       .intended_ns = NS_NONE };
		w->answer_ns[i] = 5;
	}
}

static void random_world(struct world *w, struct rng *r)
{
	struct load l = load_closed(1 + (int64_t)rng_below(r, 4));
	bool closed = rng_below(r, 2), lanes = rng_below(r, 2);
	int64_t t = 0;

	if (!closed) {
		l.timing = TIMING_POISSON;
		if (rng_below(r, 2))
			l.concurrency = COUNT_NONE;
	} else if (rng_below(r, 3) == 0) {
		l.cap = (struct ramp){ RAMP_LINEAR, 1, (double)l.concurrency, 40 };
	}
	make_phase(w, &l, MANY);
	for (size_t i = 0; i < MANY; i++) {
		struct plan_entry *en = &w->e[i];

		w->answer_ns[i] = 1 + (int64_t)rng_below(r, 20);
		t += (int64_t)rng_below(r, 6);
		en->intended_ns = closed ? NS_NONE : t;
		if (i && rng_below(r, 3) == 0) {
			en->parent = (int64_t)rng_below(r, i);
			en->waits = true;
			en->root = w->e[en->parent].root;
			en->think_ns = (int64_t)rng_below(r, 8);
		}
		if (closed && lanes)
			en->lane = (int64_t)en->root % l.concurrency;
	}
}

struct sent {
	size_t i;
	int64_t at_ns, scheduled_ns, lane;
};

static size_t by_dispatch(const struct world *w, struct sent *out)
{
	struct dispatch *d = dispatch_create(&w->p);
	int64_t ends[MANY], now = 0;
	struct dispatched what;
	size_t n = 0;

	for (size_t i = 0; i < w->p.n; i++)
		ends[i] = NEVER;
	assert_int_equal(dispatch_begin(d, 0, 0), 0);
	for (;;) {
		int64_t next;

		for (size_t i = 0; i < w->p.n; i++)
			if (ends[i] == now) {
				ends[i] = NEVER;
				dispatch_ended(d, i, now);
			}
		while (dispatch_next(d, now, &what)) {
			out[n++] = (struct sent){ what.i, now, what.scheduled_ns, what.lane };
			assert_true(what.queued_ns <= now);
			ends[what.i] = now + w->answer_ns[what.i];
		}
		next = dispatch_wake_ns(d, now);
		for (size_t i = 0; i < w->p.n; i++)
			if (ends[i] < next)
				next = ends[i];
		if (next >= NEVER)
			break;
		assert_true(next > now);
		now = next;
	}
	assert_true(dispatch_exhausted(d));
	dispatch_free(d);
	return n;
}

/* When i is due, given what has ended; NEVER if that is not known yet. */
static int64_t due(const struct world *w, size_t i, const int64_t *ended)
{
	const struct plan_entry *en = &w->e[i];
	int64_t free = 0;

	if (en->waits && ended[en->parent] == NEVER)
		return NEVER;
	if (en->waits)
		free = ended[en->parent] + en->think_ns;
	return en->intended_ns == NS_NONE || free > en->intended_ns ? free : en->intended_ns;
}

static bool lane_busy(const struct world *w, int64_t lane, const int64_t *ends, int64_t now)
{
	for (size_t i = 0; i < w->p.n; i++)
		if (w->e[i].lane == lane && ends[i] != NEVER && ends[i] > now)
			return true;
	return false;
}

static size_t naive(const struct world *w, struct sent *out)
{
	const struct load *l = &w->ph[0].load;
	bool closed = l->timing == TIMING_CLOSED, is_sent[MANY] = { false };
	int64_t ends[MANY], ended[MANY];
	size_t n = 0;

	for (size_t i = 0; i < w->p.n; i++)
		ends[i] = ended[i] = NEVER;
	for (int64_t now = 0; n < w->p.n; now++) {
		int64_t flying = 0;

		assert_true(now < 10000);
		for (size_t i = 0; i < w->p.n; i++) {
			if (ends[i] <= now)
				ended[i] = ends[i];
			flying += is_sent[i] && ends[i] > now;
		}
		for (;;) {
			size_t best = w->p.n;
			int64_t best_due = NEVER;
			bool best_late = false;

			for (size_t i = 0; i < w->p.n; i++) {
				int64_t t = due(w, i, ended);
				bool late = !closed && t > w->e[i].intended_ns;

				if (is_sent[i])
					continue;
				if (closed) {
					best = i;
					best_due = t;
					break;
				}
				if (t < best_due || (t == best_due && best_late && !late)) {
					best = i;
					best_due = t;
					best_late = late;
				}
			}
			if (best == w->p.n || best_due > now || flying >= load_cap(l, now) ||
			    (w->e[best].lane != COUNT_NONE && lane_busy(w, w->e[best].lane, ends, now)))
				break;
			out[n++] = (struct sent){ best, now, closed ? NS_NONE : best_due, 0 };
			is_sent[best] = true;
			ends[best] = now + w->answer_ns[best];
			flying++;
		}
	}
	return n;
}

static void as_the_reference_says(void **state)
{
	struct sent got[MANY], want[MANY];
	static struct world w;

	(void)state;
	for (uint64_t k = 0; k < 3000; k++) {
		struct rng r;

		rng_init(&r, 1, "worlds", k);
		random_world(&w, &r);
		assert_int_equal(by_dispatch(&w, got), MANY);
		naive(&w, want);
		for (size_t j = 0; j < MANY; j++) {
			if (got[j].i != want[j].i || got[j].at_ns != want[j].at_ns ||
			    got[j].scheduled_ns != want[j].scheduled_ns)
				fail_msg("world %d, sent %zu: request %zu at %d, not %zu at %d", (int)k,
					 j, got[j].i, (int)got[j].at_ns, want[j].i, (int)want[j].at_ns);
		}
	}
}

/* Case D14: due each 100 ms, one slot, answers take 300 ms. */
static void case_d14(void **state)
{
	struct load l = load_closed(1);
	struct sent got[MANY];
	static struct world w;

	(void)state;
	l.timing = TIMING_RECORDED;
	make_phase(&w, &l, 6);
	for (int64_t i = 0; i < 6; i++) {
		w.e[i].intended_ns = i * 100;
		w.answer_ns[i] = 300;
	}
	assert_int_equal(by_dispatch(&w, got), 6);
	for (int64_t i = 0; i < 6; i++) {
		assert_int_equal(got[i].i, i);
		assert_int_equal(got[i].at_ns, i * 300);
		assert_int_equal(got[i].scheduled_ns, i * 100);
		assert_int_equal(got[i].lane, 0);
	}
}

/* Slots have numbers below the cap, and none is used twice at once. */
static void lanes_are_slots(void **state)
{
	static struct world w;
	struct sent got[MANY];

	(void)state;
	for (uint64_t k = 0; k < 300; k++) {
		struct rng r;

		rng_init(&r, 2, "worlds", k);
		random_world(&w, &r);
		by_dispatch(&w, got);
		for (size_t j = 0; j < MANY; j++) {
			if (w.ph[0].load.concurrency == COUNT_NONE) {
				assert_int_equal(got[j].lane, COUNT_NONE);
				continue;
			}
			assert_in_range(got[j].lane, 0, w.ph[0].load.concurrency - 1);
			if (w.e[got[j].i].lane != COUNT_NONE)
				assert_int_equal(got[j].lane, w.e[got[j].i].lane);
			for (size_t m = 0; m < j; m++)
				assert_true(got[m].lane != got[j].lane ||
					    got[m].at_ns + w.answer_ns[got[m].i] <= got[j].at_ns);
		}
	}
}

/* The time is over: what was due and waits is handed out, the rest is not due any more. */
static void what_never_got_a_slot(void **state)
{
	struct load l = load_closed(1);
	static struct world w;
	struct dispatched what;
	struct dispatch *d;

	(void)state;
	l.timing = TIMING_CONSTANT;
	make_phase(&w, &l, 5);
	for (int64_t i = 0; i < 5; i++)
		w.e[i].intended_ns = i * 10;
	d = dispatch_create(&w.p);
	assert_int_equal(dispatch_begin(d, 0, 1000), 0);
	assert_true(dispatch_next(d, 1000, &what));
	assert_false(dispatch_next(d, 1025, &what));
	assert_true(dispatch_wake_ns(d, 1025) == 1030);
	dispatch_time_over(d);
	for (int64_t i = 1; i < 3; i++) {
		assert_true(dispatch_drop(d, &what));
		assert_int_equal(what.i, i);
		assert_true(what.scheduled_ns == 1000 + i * 10 && what.queued_ns == 1025);
	}
	assert_false(dispatch_drop(d, &what));
	dispatch_ended(d, 0, 1050);
	assert_false(dispatch_next(d, 2000, &what));
	assert_true(dispatch_exhausted(d));
	dispatch_free(d);
}

/* A closed stage follows a stage with a rate: what had waited goes first, and order goes on. */
static void a_stage_follows(void **state)
{
	struct load rate = load_closed(1), loop = load_closed(2);
	static struct world w;
	struct dispatched what;
	struct dispatch *d;

	(void)state;
	rate.timing = TIMING_CONSTANT;
	loop.follows = true;
	make_phase(&w, &rate, 6);
	w.ph[0].n = 3;
	w.ph[1] = (struct plan_phase){ .kind = PHASE_ROUND, .load = loop, .first = 3, .n = 3 };
	w.p.n_phases = 2;
	for (int64_t i = 0; i < 3; i++)
		w.e[i].intended_ns = i;
	/* 4 waits for 2, which waits for a slot. */
	w.e[4].parent = 2;
	w.e[4].waits = true;
	d = dispatch_create(&w.p);
	dispatch_begin(d, 0, 0);
	assert_true(dispatch_next(d, 5, &what) && what.i == 0);
	assert_false(dispatch_next(d, 5, &what));
	dispatch_time_over(d);
	dispatch_begin(d, 1, 10);
	assert_true(dispatch_next(d, 10, &what) && what.i == 1 && what.scheduled_ns == 1);
	assert_false(dispatch_next(d, 10, &what));
	dispatch_ended(d, 0, 11);
	assert_true(dispatch_next(d, 11, &what) && what.i == 2);
	dispatch_ended(d, 1, 12);
	assert_true(dispatch_next(d, 12, &what) && what.i == 3 && what.scheduled_ns == NS_NONE);
	dispatch_ended(d, 3, 13);
	assert_false(dispatch_next(d, 13, &what));
	dispatch_ended(d, 2, 14);
	assert_true(dispatch_next(d, 14, &what) && what.i == 4);
	assert_true(dispatch_next(d, 14, &what) && what.i == 5);
	assert_true(dispatch_exhausted(d));
	dispatch_free(d);
}

/* A shard has its part of the slots, and its lanes are nobody else's. */
static void shards_share_slots(void **state)
{
	struct load l = load_closed(5);
	bool used[MANY] = { false };
	static struct world w;
	size_t all = 0;

	(void)state;
	for (int64_t s = 0; s < 3; s++) {
		struct dispatched what;
		struct dispatch *d;
		int64_t n = 0;

		make_phase(&w, &l, 20);
		w.p.opts.shard = (struct shard){ s, 3 };
		for (size_t i = 0; i < 20; i++)
			w.e[i].elsewhere = !shard_has_turn(&w.p.opts.shard, (int64_t)i, 5);
		d = dispatch_create(&w.p);
		dispatch_begin(d, 0, 0);
		for (; dispatch_next(d, 0, &what); n++) {
			assert_int_equal(what.i % 3, s);
			assert_false(used[what.lane]);
			used[what.lane] = true;
		}
		assert_int_equal(n, s < 2 ? 2 : 1);
		all += (size_t)n;
		dispatch_free(d);
	}
	assert_int_equal(all, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_reference_says),
		cmocka_unit_test(case_d14),
		cmocka_unit_test(lanes_are_slots),
		cmocka_unit_test(what_never_got_a_slot),
		cmocka_unit_test(a_stage_follows),
		cmocka_unit_test(shards_share_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
