/*
 * A thread of a crew: its own event loop and capture pool, told what to do by messages, and
 * telling what happened by messages.  Private to the crew.
 */
#ifndef REPLAY_WORKER_H
#define REPLAY_WORKER_H

#include <pthread.h>

#include "formats/base/arena.h"
#include "replay/crew.h"

enum message_kind {
	/* to the worker */
	DO_START, DO_CANCEL_ALL, DO_PRECONNECT, DO_HEALTH, DO_STOP,
	/* from it */
	DID_START, DID_RECORD, DID_END, DID_PRECONNECT, DID_HEALTH,
};

/* A job in flight: made by the crew, freed by it after DID_END or a failed DID_START. */
struct task {
	struct crew_job job;
	struct worker *w;
};

struct message {
	enum message_kind kind;
	struct message *next;
	struct task *task;
	int64_t sent_ns;              /* DID_START */
	char why[160];                /* DID_START that failed; DO_CANCEL_ALL */
	const char *url;              /* DO_PRECONNECT, borrowed until DID_PRECONNECT */
	size_t n;
	struct rec_client health;     /* DID_HEALTH */
	struct rec_response rec;      /* DID_RECORD, DID_END: with its events and strings, owned */
	struct arena store;
	bool clean_end;               /* DID_END */
};

/* A queue that wakes its reader through a descriptor. */
struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct message *first, **last;
	int fd;                       /* readable when there is something; eventfd(2) */
};

/* 0, or -1 with errno. */
int mailbox_init(struct mailbox *m);
void mailbox_release(struct mailbox *m);
void mailbox_put(struct mailbox *m, struct message *msg);
/* All there is, oldest first, or NULL. */
struct message *mailbox_take(struct mailbox *m);
/* The same, but waits until there is something. */
struct message *mailbox_wait(struct mailbox *m);

/* NULL: out of memory. */
struct message *message_create(enum message_kind kind);
void message_free(struct message *msg);

struct worker {
	pthread_t thread;
	struct mailbox in;
	struct mailbox *out;          /* the crew's */
	struct event_base *base;
	struct event *wake;
	struct capture_pool *captures;
};

/* Starts the thread.  0, or -1: e says why, and nothing is to be stopped. */
int worker_start(struct worker *w, const struct capture_opts *o, struct mailbox *out, struct err *e);
/* Lets what is in flight be cancelled, and waits for the thread's end. */
void worker_stop(struct worker *w);

#endif
