#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "replay/worker.h"

int mailbox_init(struct mailbox *m)
{
	*m = (struct mailbox){ .last = NULL };
	m->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (m->fd < 0)
		return -1;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->filled, NULL);
	m->last = &m->first;
	return 0;
}

void mailbox_release(struct mailbox *m)
{
	struct message *msg = m->first;

	if (!m->last)
		return;
	while (msg) {
		struct message *next = msg->next;

		message_free(msg);
		msg = next;
	}
	pthread_cond_destroy(&m->filled);
	pthread_mutex_destroy(&m->lock);
	close(m->fd);
	*m = (struct mailbox){ .last = NULL };
}

void mailbox_put(struct mailbox *m, struct message *msg)
{
	const uint64_t one = 1;
	bool was_empty;

	msg->next = NULL;
	pthread_mutex_lock(&m->lock);
	was_empty = !m->first;
	*m->last = msg;
	m->last = &msg->next;
	pthread_cond_signal(&m->filled);
	pthread_mutex_unlock(&m->lock);
	/* A reader that is awake takes all there is. */
	if (was_empty)
		while (write(m->fd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
}

/* Under the lock. */
static struct message *empty(struct mailbox *m)
{
	struct message *all = m->first;

	m->first = NULL;
	m->last = &m->first;
	return all;
}

struct message *mailbox_take(struct mailbox *m)
{
	struct message *all;
	uint64_t n;

	/* Before taking: what is put after it wakes again. */
	while (read(m->fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&m->lock);
	all = empty(m);
	pthread_mutex_unlock(&m->lock);
	return all;
}

struct message *mailbox_wait(struct mailbox *m)
{
	struct message *all;

	pthread_mutex_lock(&m->lock);
	while (!m->first)
		pthread_cond_wait(&m->filled, &m->lock);
	all = empty(m);
	pthread_mutex_unlock(&m->lock);
	return all;
}

struct message *message_create(enum message_kind kind)
{
	struct message *msg = calloc(1, sizeof(*msg));

	if (msg)
		msg->kind = kind;
	return msg;
}

void message_free(struct message *msg)
{
	events_release(&msg->rec.events);
	arena_release(&msg->store);
	free(msg);
}
