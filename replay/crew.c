#include <config.h>

#include "replay/crew.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/worker.h"

struct crew {
	struct capture_pool *own;     /* of the caller's loop, if there are no threads */
	struct worker *workers;
	size_t n, turn;
	struct mailbox in;            /* what the workers tell */
	struct event *wake;
	size_t in_flight;             /* of the workers */
	size_t preconnecting;         /* workers that have not answered */
	struct rec_client health;     /* as told since the last call */
	int64_t cpu_ns, looked_ns;    /* the caller's thread */
};

static struct message *order(enum message_kind kind)
{
	struct message *msg = message_create(kind);

	if (!msg)
		die(EXIT_FAILED, "out of memory");
	return msg;
}

static void forget_health(struct crew *c)
{
	struct record r;

	record_init(&r, REC_CLIENT);
	c->health = r.u.client;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b; /* NS_NONE is the least of all */
}

static void add_health(struct rec_client *sum, const struct rec_client *h)
{
	sum->loop_lag_max_ns = larger(sum->loop_lag_max_ns, h->loop_lag_max_ns);
	sum->send_lag_max_ns = larger(sum->send_lag_max_ns, h->send_lag_max_ns);
	sum->events = h->events + (sum->events == COUNT_NONE ? 0 : sum->events);
	sum->coalesced = h->coalesced + (sum->coalesced == COUNT_NONE ? 0 : sum->coalesced);
	if (!(sum->cpu_share >= h->cpu_share))
		sum->cpu_share = h->cpu_share;
}

/* ---- what the workers tell ---- */

static void on_started(struct crew *c, const struct message *msg)
{
	const struct crew_job *job = &msg->task->job;
	bool failed = *msg->why != '\0';

	job->on_started(job->q.arg, msg->sent_ns, failed ? msg->why : NULL);
	if (!failed)
		return;
	c->in_flight--;
	free(msg->task);
}

static void on_ended(struct crew *c, const struct message *msg)
{
	const struct crew_job *job = &msg->task->job;

	c->in_flight--;
	job->q.on_done(job->q.arg, &msg->rec, msg->clean_end);
	free(msg->task);
}

static void hear(struct crew *c, const struct message *msg)
{
	switch (msg->kind) {
	case DID_START:
		on_started(c, msg);
		break;
	case DID_RECORD:
		msg->task->job.q.on_record(msg->task->job.q.arg, &msg->rec);
		break;
	case DID_END:
		on_ended(c, msg);
		break;
	case DID_PRECONNECT:
		c->preconnecting--;
		break;
	default:
		add_health(&c->health, &msg->health);
		break;
	}
}

static void hear_all(struct crew *c, struct message *msg)
{
	while (msg) {
		struct message *next = msg->next;

		hear(c, msg);
		message_free(msg);
		msg = next;
	}
}

static void on_mail(evutil_socket_t fd, short what, void *arg)
{
	struct crew *c = arg;

	(void)fd, (void)what;
	hear_all(c, mailbox_take(&c->in));
}

/* ---- public ---- */

static int start_workers(struct crew *c, struct event_base *base, const struct capture_opts *o,
			 size_t threads, struct err *e)
{
	if (mailbox_init(&c->in) < 0)
		return err_set(e, "threads: %s", strerror(errno));
	c->wake = event_new(base, c->in.fd, EV_READ | EV_PERSIST, on_mail, c);
	c->workers = calloc(threads, sizeof(*c->workers));
	if (!c->wake || event_add(c->wake, NULL) < 0 || !c->workers)
		return err_set(e, "out of memory");
	for (; c->n < threads; c->n++)
		if (worker_start(&c->workers[c->n], o, &c->in, e) < 0)
			return -1;
	return 0;
}

struct crew *crew_create(struct event_base *base, const struct capture_opts *o, size_t threads,
			 struct err *e)
{
	struct crew *c = calloc(1, sizeof(*c));
	int rc;

	if (!c) {
		err_set(e, "out of memory");
		return NULL;
	}
	forget_health(c);
	c->cpu_ns = clock_thread_cpu_ns();
	c->looked_ns = clock_mono_ns();
	if (threads > 1) {
		rc = start_workers(c, base, o, threads, e);
	} else {
		c->own = capture_pool_create(base, o, e);
		rc = c->own ? 0 : -1;
	}
	if (rc < 0) {
		crew_free(c);
		return NULL;
	}
	return c;
}

void crew_free(struct crew *c)
{
	crew_cancel_all(c, "the run ended");
	if (c->own)
		capture_pool_free(c->own);
	for (size_t i = 0; i < c->n; i++)
		worker_stop(&c->workers[i]);
	if (c->wake)
		event_free(c->wake);
	mailbox_release(&c->in);
	free(c->workers);
	free(c);
}

static int start_own(struct crew *c, const struct crew_job *job)
{
	struct err why = { "" };
	int64_t sent_ns = NS_NONE;
	bool began = capture_start(c->own, &job->q, &sent_ns, &why) != NULL;

	job->on_started(job->q.arg, sent_ns, began ? NULL : why.msg);
	return 0;
}

int crew_start(struct crew *c, const struct crew_job *job)
{
	struct message *msg;
	struct task *t;

	if (c->own)
		return start_own(c, job);
	msg = message_create(DO_START);
	t = calloc(1, sizeof(*t));
	if (!msg || !t) {
		free(t);
		if (msg)
			message_free(msg);
		return -1;
	}
	t->job = *job;
	t->w = &c->workers[(job->lane != COUNT_NONE ? (size_t)job->lane : c->turn++) % c->n];
	msg->task = t;
	c->in_flight++;
	mailbox_put(&t->w->in, msg);
	return 0;
}

void crew_cancel_all(struct crew *c, const char *why)
{
	if (c->own) {
		capture_pool_cancel_all(c->own, why);
		return;
	}
	for (size_t i = 0; i < c->n && c->in_flight > 0; i++) {
		struct message *msg = order(DO_CANCEL_ALL);

		snprintf(msg->why, sizeof(msg->why), "%s", why);
		mailbox_put(&c->workers[i].in, msg);
	}
	while (c->in_flight > 0)
		hear_all(c, mailbox_wait(&c->in));
}

void crew_preconnect(struct crew *c, const char *url, size_t n)
{
	if (c->own) {
		capture_pool_preconnect(c->own, url, n);
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct message *msg = order(DO_PRECONNECT);

		msg->url = url;
		msg->n = (n + c->n - 1 - i) / c->n;
		c->preconnecting++;
		mailbox_put(&c->workers[i].in, msg);
	}
	while (c->preconnecting > 0)
		hear_all(c, mailbox_wait(&c->in));
}

/* The caller's thread decides and writes: it can be the limit too. */
static void add_own_cpu(struct crew *c)
{
	int64_t cpu = clock_thread_cpu_ns(), t = clock_mono_ns();
	double share = t > c->looked_ns ?
		(double)(cpu - c->cpu_ns) / (double)(t - c->looked_ns) : NAN;

	if (!(c->health.cpu_share >= share))
		c->health.cpu_share = share;
	c->cpu_ns = cpu;
	c->looked_ns = t;
}

void crew_health(struct crew *c, struct rec_client *out)
{
	if (c->own) {
		capture_pool_health(c->own, out);
		return;
	}
	add_own_cpu(c);
	*out = c->health;
	forget_health(c);
	for (size_t i = 0; i < c->n; i++)
		mailbox_put(&c->workers[i].in, order(DO_HEALTH));
}
