/* The bounded queue: a sink that blocks, and one that is quick. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "record/spool.h"

enum { MAX_BYTES = 1000, LONG_S = 20 };

struct numbered {
	struct spool_item item;
	int number;
};

/* Takes nothing while it is shut; the test opens it. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool shut;
	int taken, flushes, last, out_of_order;
};

static void gate_init(struct gate *g, bool shut)
{
	*g = (struct gate){ .shut = shut, .last = -1 };
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->moved, NULL);
}

static void gate_release(struct gate *g)
{
	pthread_cond_destroy(&g->moved);
	pthread_mutex_destroy(&g->lock);
}

static void gate_open(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->shut = false;
	pthread_cond_broadcast(&g->moved);
	pthread_mutex_unlock(&g->lock);
}

static void take(void *arg, struct spool_item *item)
{
	struct numbered *n = (struct numbered *)item;
	struct gate *g = arg;

	pthread_mutex_lock(&g->lock);
	while (g->shut)
		pthread_cond_wait(&g->moved, &g->lock);
	g->out_of_order += n->number <= g->last;
	g->last = n->number;
	g->taken++;
	pthread_mutex_unlock(&g->lock);
	free(n);
}

static void flush(void *arg)
{
	struct gate *g = arg;

	pthread_mutex_lock(&g->lock);
	g->flushes++;
	pthread_cond_broadcast(&g->moved);
	pthread_mutex_unlock(&g->lock);
}

static struct spool *spool_of(struct gate *g)
{
	const struct spool_sink sink = { g, take, flush };
	struct err e;
	struct spool *s = spool_create(MAX_BYTES, &sink, &e);

	assert_non_null(s);
	return s;
}

static bool push(struct spool *s, int number, size_t bytes, bool urgent)
{
	struct numbered *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	n->number = number;
	if (spool_push(s, &n->item, bytes, urgent))
		return true;
	free(n);
	return false;
}

static void all_arrive_in_order(void **state)
{
	struct gate g;
	struct spool *s;

	(void)state;
	gate_init(&g, false);
	s = spool_of(&g);
	for (int i = 0; i < 5000; i++)
		assert_true(push(s, i, 100, true));
	assert_true(spool_wait(s, LONG_S * NS_PER_S));
	spool_free(s);
	assert_int_equal(g.taken, 5000);
	assert_int_equal(g.out_of_order, 0);
	assert_true(g.flushes > 0);
	gate_release(&g);
}

/* The one being taken counts: it is still in memory. */
static void a_stuck_sink_fills_it(void **state)
{
	struct spool_state st;
	struct gate g;
	struct spool *s;

	(void)state;
	gate_init(&g, true);
	s = spool_of(&g);
	for (int i = 0; i < 10; i++)
		assert_true(push(s, i, 100, false));
	assert_false(push(s, 10, 1, false));
	spool_look(s, &st);
	assert_int_equal(st.items, 10);
	assert_int_equal(st.bytes, 1000);
	assert_true(st.oldest_ns > 0);
	assert_true(push(s, 11, 50, true)); /* an end of a file gets through */
	assert_false(spool_wait(s, 20 * NS_PER_MS));
	gate_open(&g);
	assert_true(spool_wait(s, LONG_S * NS_PER_S));
	spool_look(s, &st);
	assert_int_equal(st.items, 0);
	assert_int_equal(st.bytes, 0);
	assert_int_equal(st.oldest_ns, 0);
	assert_true(push(s, 12, 1000, false));
	spool_free(s);
	assert_int_equal(g.taken, 12);
	assert_int_equal(g.out_of_order, 0);
	gate_release(&g);
}

static void one_larger_than_the_bound(void **state)
{
	struct gate g;
	struct spool *s;

	(void)state;
	gate_init(&g, true);
	s = spool_of(&g);
	assert_true(push(s, 0, 5000, false));
	assert_false(push(s, 1, 1, false));
	gate_open(&g);
	assert_true(spool_wait(s, LONG_S * NS_PER_S));
	assert_true(push(s, 2, 1, false));
	spool_free(s);
	assert_int_equal(g.taken, 2);
	gate_release(&g);
}

/* A flush follows by itself, though nothing more is pushed. */
static void idle_means_flushed(void **state)
{
	struct gate g;
	struct spool *s;

	(void)state;
	gate_init(&g, false);
	s = spool_of(&g);
	assert_true(push(s, 0, 1, false));
	pthread_mutex_lock(&g.lock);
	while (g.flushes == 0)
		pthread_cond_wait(&g.moved, &g.lock);
	pthread_mutex_unlock(&g.lock);
	spool_free(s);
	assert_int_equal(g.taken, 1);
	gate_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive_in_order),
		cmocka_unit_test(a_stuck_sink_fills_it),
		cmocka_unit_test(one_larger_than_the_bound),
		cmocka_unit_test(idle_means_flushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
