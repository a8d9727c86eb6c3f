#include <config.h>

#include "replay/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/trace/copy.h"

enum { TEXT_MAX = 1 << 30 };

/* Nothing can be told without memory, and a run that loses a record is worth nothing. */
static struct message *must(struct message *msg)
{
	if (!msg)
		die(EXIT_FAILED, "out of memory in a thread");
	return msg;
}

static struct message *with_record(enum message_kind kind, struct task *t,
				   const struct rec_response *r)
{
	struct message *msg = must(message_create(kind));

	msg->task = t;
	msg->rec = *r;
	events_init(&msg->rec.events, r->events.has_text, TEXT_MAX);
	if (events_append(&msg->rec.events, &r->events) < 0)
		must(NULL);
	copy_response(&msg->store, &msg->rec);
	return msg;
}

static void on_record(void *arg, const struct rec_response *r)
{
	struct task *t = arg;

	mailbox_put(t->w->out, with_record(DID_RECORD, t, r));
}

static void on_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct task *t = arg;
	struct rec_response end = *last;
	struct message *msg;

	/* Its events were told with the record itself. */
	end.events.n = 0;
	msg = with_record(DID_END, t, &end);
	msg->clean_end = clean_end;
	mailbox_put(t->w->out, msg);
}

static void start(struct worker *w, struct task *t)
{
	struct capture_request q = t->job.q;
	struct message *msg = must(message_create(DID_START));
	struct err why = { "" };

	q.arg = t;
	q.on_record = on_record;
	q.on_done = on_done;
	msg->task = t;
	if (!capture_start(w->captures, &q, &msg->sent_ns, &why))
		snprintf(msg->why, sizeof(msg->why), "%.150s", *why.msg ? why.msg : "unknown");
	/* No callback has run yet: what it tells comes after this. */
	mailbox_put(w->out, msg);
}

static void tell(struct worker *w, enum message_kind kind)
{
	struct message *msg = must(message_create(kind));

	if (kind == DID_HEALTH) {
		struct record r;

		record_init(&r, REC_CLIENT);
		capture_pool_health(w->captures, &r.u.client);
		msg->health = r.u.client;
	}
	mailbox_put(w->out, msg);
}

static void obey(struct worker *w, const struct message *msg)
{
	switch (msg->kind) {
	case DO_START:
		start(w, msg->task);
		break;
	case DO_CANCEL_ALL:
		capture_pool_cancel_all(w->captures, msg->why);
		break;
	case DO_PRECONNECT:
		capture_pool_preconnect(w->captures, msg->url, msg->n);
		tell(w, DID_PRECONNECT);
		break;
	case DO_HEALTH:
		tell(w, DID_HEALTH);
		break;
	default:
		event_base_loopbreak(w->base);
		break;
	}
}

static void on_mail(evutil_socket_t fd, short what, void *arg)
{
	struct worker *w = arg;
	struct message *msg = mailbox_take(&w->in);

	(void)fd, (void)what;
	while (msg) {
		struct message *next = msg->next;

		obey(w, msg);
		message_free(msg);
		msg = next;
	}
}

static void *run(void *arg)
{
	struct worker *w = arg;
	struct rec_client since_start;

	/* CPU time is the thread's own: it begins to count here. */
	capture_pool_health(w->captures, &since_start);
	event_base_dispatch(w->base);
	return NULL;
}

static int set_up(struct worker *w, const struct capture_opts *o, struct err *e)
{
	struct event_config *cfg = event_config_new();

	if (mailbox_init(&w->in) < 0)
		err_set(e, "a thread's mailbox: %s", strerror(errno));
	else if (cfg && event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		w->base = event_base_new_with_config(cfg);
	if (cfg)
		event_config_free(cfg);
	if (!w->base)
		return w->in.last ? err_set(e, "out of memory") : -1;
	w->captures = capture_pool_create(w->base, o, e);
	if (!w->captures)
		return -1;
	w->wake = event_new(w->base, w->in.fd, EV_READ | EV_PERSIST, on_mail, w);
	return w->wake && event_add(w->wake, NULL) == 0 ? 0 : err_set(e, "out of memory");
}

static void tear_down(struct worker *w)
{
	if (w->captures)
		capture_pool_free(w->captures);
	if (w->wake)
		event_free(w->wake);
	if (w->base)
		event_base_free(w->base);
	mailbox_release(&w->in);
}

/* Signals are the caller's: they end its run. */
static int create_thread(struct worker *w)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

int worker_start(struct worker *w, const struct capture_opts *o, struct mailbox *out, struct err *e)
{
	int rc = -1;

	*w = (struct worker){ .out = out };
	if (set_up(w, o, e) == 0) {
		rc = create_thread(w);
		if (rc != 0)
			rc = err_set(e, "cannot start a thread: %s", strerror(rc));
	}
	if (rc != 0)
		tear_down(w);
	return rc;
}

void worker_stop(struct worker *w)
{
	mailbox_put(&w->in, must(message_create(DO_STOP)));
	pthread_join(w->thread, NULL);
	tear_down(w);
}
