#include <config.h>

#include "record/spool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/clock.h"

struct spool {
	struct spool_sink sink;
	size_t max_bytes;
	pthread_t thread;
	pthread_mutex_t lock;       /* over all below */
	pthread_cond_t filled, emptied;
	struct spool_item *first, **last;
	struct spool_state waiting;
	int64_t taking_since_ns;    /* pushed_ns of the item being taken, or NS_NONE */
	bool over;
};

static struct timespec deadline(int64_t from_now_ns)
{
	int64_t t = clock_mono_ns() + from_now_ns;

	return (struct timespec){ .tv_sec = t / NS_PER_S, .tv_nsec = t % NS_PER_S };
}

/* With the lock held.  Waits for an item; NULL when a flush is due or all is over. */
static struct spool_item *next_item(struct spool *s, bool dirty, const struct timespec *flush_at)
{
	struct spool_item *it;
	int rc = 0;

	while (!s->first && !s->over && rc != ETIMEDOUT)
		rc = dirty ? pthread_cond_timedwait(&s->filled, &s->lock, flush_at)
			   : pthread_cond_wait(&s->filled, &s->lock);
	it = s->first;
	if (!it)
		return NULL;
	s->first = it->next;
	if (!s->first)
		s->last = &s->first;
	s->taking_since_ns = it->pushed_ns;
	return it;
}

/* With the lock held, but not while the sink works. */
static void take(struct spool *s, struct spool_item *it)
{
	size_t bytes = it->bytes;

	pthread_mutex_unlock(&s->lock);
	s->sink.take(s->sink.arg, it);
	pthread_mutex_lock(&s->lock);
	s->waiting.items--;
	s->waiting.bytes -= (int64_t)bytes;
	s->taking_since_ns = NS_NONE;
	if (!s->first)
		pthread_cond_broadcast(&s->emptied);
}

static void flush(struct spool *s)
{
	pthread_mutex_unlock(&s->lock);
	s->sink.flush(s->sink.arg);
	pthread_mutex_lock(&s->lock);
}

static void *work(void *arg)
{
	struct spool *s = arg;
	struct timespec flush_at = deadline(0);
	int64_t flush_ns = 0;
	bool dirty = false;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct spool_item *it = next_item(s, dirty, &flush_at);

		if (it) {
			take(s, it);
			if (!dirty) {
				flush_ns = clock_mono_ns() + SPOOL_FLUSH_MS * NS_PER_MS;
				flush_at = deadline(SPOOL_FLUSH_MS * NS_PER_MS);
			}
			dirty = true;
		}
		if (dirty && (!it || clock_mono_ns() >= flush_ns)) {
			dirty = false;
			flush(s);
		}
		if (!it && s->over && !s->first)
			break;
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void init_cond(pthread_cond_t *c)
{
	pthread_condattr_t a;

	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(c, &a);
	pthread_condattr_destroy(&a);
}

static void release(struct spool *s)
{
	pthread_cond_destroy(&s->filled);
	pthread_cond_destroy(&s->emptied);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Signals are the loop's: the thread is born with all of them blocked. */
static int start(struct spool *s)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->thread, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

struct spool *spool_create(size_t max_bytes, const struct spool_sink *sink, struct err *e)
{
	struct spool *s = calloc(1, sizeof(*s));
	int rc;

	if (!s) {
		err_set(e, "out of memory");
		return NULL;
	}
	s->sink = *sink;
	s->max_bytes = max_bytes;
	s->last = &s->first;
	s->taking_since_ns = NS_NONE;
	pthread_mutex_init(&s->lock, NULL);
	init_cond(&s->filled);
	init_cond(&s->emptied);
	rc = start(s);
	if (rc != 0) {
		release(s);
		err_set(e, "cannot start a thread: %s", strerror(rc));
		return NULL;
	}
	return s;
}

bool spool_push(struct spool *s, struct spool_item *item, size_t bytes, bool urgent)
{
	bool fits;

	*item = (struct spool_item){ .pushed_ns = clock_mono_ns(), .bytes = bytes };
	pthread_mutex_lock(&s->lock);
	fits = urgent || s->waiting.items == 0 || (size_t)s->waiting.bytes + bytes <= s->max_bytes;
	if (fits) {
		*s->last = item;
		s->last = &item->next;
		s->waiting.items++;
		s->waiting.bytes += (int64_t)bytes;
		pthread_cond_signal(&s->filled);
	}
	pthread_mutex_unlock(&s->lock);
	return fits;
}

void spool_look(struct spool *s, struct spool_state *out)
{
	int64_t since;

	pthread_mutex_lock(&s->lock);
	*out = s->waiting;
	since = s->taking_since_ns != NS_NONE ? s->taking_since_ns : s->first ? s->first->pushed_ns : NS_NONE;
	pthread_mutex_unlock(&s->lock);
	out->oldest_ns = since == NS_NONE ? 0 : clock_mono_ns() - since;
}

bool spool_wait(struct spool *s, int64_t timeout_ns)
{
	struct timespec until = deadline(timeout_ns);
	bool empty;
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	while (s->waiting.items > 0 && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&s->emptied, &s->lock, &until);
	empty = s->waiting.items == 0;
	pthread_mutex_unlock(&s->lock);
	return empty;
}

void spool_free(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->over = true;
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	release(s);
}
