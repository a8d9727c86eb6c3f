#include <config.h>

#include "record/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TICK_NS (500 * NS_PER_MS)
#define DISK_WAIT_NS (10 * NS_PER_S) /* at the end, for a disk that does not move */

struct run {
	const struct run_opts *o;
	struct event_base *base;
	struct capture_pool *pool;
	struct recorder *rec;
	struct proxy *proxy;
	struct event *tick, *sig_int, *sig_term, *sig_hup, *drain;
	int64_t epoch_ns;
	int ticks;
	bool ending;              /* a signal came */
	bool interrupted;         /* exchanges were cut by it */
};

/* ---- signals ---- */

static void on_end_signal(evutil_socket_t sig, short what, void *arg)
{
	struct run *r = arg;

	(void)what;
	if (r->ending)
		_exit(128 + (int)sig);
	r->ending = true;
	r->interrupted = true;
	event_base_loopbreak(r->base);
}

static void on_reopen(evutil_socket_t sig, short what, void *arg)
{
	struct run *r = arg;

	(void)sig, (void)what;
	recorder_reopen(r->rec, clock_mono_ns(), clock_wall_ns());
}

/* ---- clock ---- */

static void put_health(struct run *r)
{
	struct record rec;

	record_init(&rec, REC_CLIENT);
	capture_pool_health(r->pool, &rec.u.client);
	rec.u.client.t_ns = clock_mono_ns() - r->epoch_ns;
	if (rec.u.client.events > 0)
		recorder_put(r->rec, &rec);
}

static void tell_news(struct run *r)
{
	struct err why;

	if (recorder_news(r->rec, &why))
		warn("%s; recording has stopped, proxying goes on: make room, then SIGHUP records on in a new file",
		     why.msg);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct run *r = arg;

	(void)fd, (void)what;
	/* Health once a second, and none of an idle second: a quiet night costs nothing. */
	if (++r->ticks % 2 == 0)
		put_health(r);
	recorder_tick(r->rec, clock_mono_ns(), clock_wall_ns());
	tell_news(r);
}

/* ---- begin and end ---- */

static struct event_base *precise_base(void)
{
	struct event_config *cfg = event_config_new();
	struct event_base *base;

	if (!cfg)
		return NULL;
	event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER);
	base = event_base_new_with_config(cfg);
	event_config_free(cfg);
	return base;
}

static int arm_events(struct run *r, struct err *e)
{
	struct timeval every = { TICK_NS / NS_PER_S, TICK_NS % NS_PER_S / NS_PER_US };

	r->tick = event_new(r->base, -1, EV_PERSIST, on_tick, r);
	r->sig_int = evsignal_new(r->base, SIGINT, on_end_signal, r);
	r->sig_term = evsignal_new(r->base, SIGTERM, on_end_signal, r);
	r->sig_hup = evsignal_new(r->base, SIGHUP, on_reopen, r);
	if (!r->tick || !r->sig_int || !r->sig_term || !r->sig_hup)
		return err_set(e, "out of memory");
	event_add(r->tick, &every);
	event_add(r->sig_int, NULL);
	event_add(r->sig_term, NULL);
	event_add(r->sig_hup, NULL);
	return 0;
}

static int begin(struct run *r, struct err *e)
{
	r->base = precise_base();
	if (!r->base)
		return err_set(e, "out of memory");
	r->rec = recorder_create(&r->o->recorder, e);
	r->pool = r->rec ? capture_pool_create(r->base, &r->o->capture, e) : NULL;
	r->proxy = r->pool ? proxy_create(r->base, &r->o->proxy, r->pool, r->rec, e) : NULL;
	if (!r->proxy || arm_events(r, e) < 0)
		return -1;
	/* The trace comes last: a start that fails leaves no file behind. */
	return recorder_open(r->rec, e);
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

/* What still runs ends as cancelled, and is recorded so. */
static void stop_serving(struct run *r)
{
	proxy_free(r->proxy);
	if (r->pool)
		capture_pool_free(r->pool);
	free_event(r->tick);
	free_event(r->sig_int);
	free_event(r->sig_term);
	free_event(r->sig_hup);
}

static void summary(const struct run *r)
{
	struct recorder_state s;
	int64_t recorded, passed, unsampled;

	if (r->o->quiet)
		return;
	proxy_counts(r->proxy, &recorded, &passed, &unsampled);
	recorder_look(r->rec, &s);
	fprintf(stderr, "tokrecord: %lld exchanges recorded, %lld passed", (long long)recorded, (long long)passed);
	if (unsampled)
		fprintf(stderr, " (%lld of them not in the sample)", (long long)unsampled);
	fprintf(stderr, "%s; %s\n", r->interrupted ? ", interrupted" : "", s.file);
}

static int end(struct run *r, struct err *e)
{
	int rc = 0;

	if (r->rec)
		rc = recorder_close(r->rec, clock_mono_ns() - r->epoch_ns, r->interrupted, DISK_WAIT_NS, e);
	if (r->base)
		event_base_free(r->base);
	return rc;
}

int run(const struct run_opts *o)
{
	struct run r = { .o = o, .epoch_ns = o->recorder.header->epoch_mono_ns };
	struct err e, at_end;
	int begun = begin(&r, &e), ended;

	if (begun == 0) {
		fprintf(stderr, "listening on %s\n", proxy_address(r.proxy));
		event_base_dispatch(r.base);
		summary(&r);
	} else {
		err_print(&e);
	}
	stop_serving(&r);
	ended = end(&r, &at_end);
	if (begun == 0 && ended < 0)
		err_print(&at_end);
	if (ended == -2)
		_exit(EXIT_FAILED);
	return begun < 0 || ended < 0 ? EXIT_FAILED : EXIT_OK;
}
