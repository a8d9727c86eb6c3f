#include <config.h>

#include "record/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/console.h"
#include "record/metrics.h"
#include "record/scrape.h"

#define TICK_NS (500 * NS_PER_MS)
#define DRAIN_LOOK_NS (100 * NS_PER_MS)
#define DISK_WAIT_NS (10 * NS_PER_S) /* at the end, for a disk that does not move */

struct run {
	const struct run_opts *o;
	struct event_base *base;
	struct capture_pool *pool;
	struct recorder *rec;
	struct proxy *proxy;
	struct scrape *scrape;
	struct console *console;
	struct event *tick, *sig_int, *sig_term, *sig_hup, *drain;
	int64_t epoch_ns, drain_until_ns;
	int ticks;
	bool ending;              /* a signal came */
	bool interrupted;         /* exchanges were cut by it */
};

static void arm(struct event *ev, int64_t ns)
{
	struct timeval tv = { ns / NS_PER_S, ns % NS_PER_S / NS_PER_US };

	event_add(ev, &tv);
}

/* ---- signals ---- */

static void second_signal_kills(const struct run *r, int sig)
{
	if (r->ending)
		_exit(128 + sig);
}

static void on_int(evutil_socket_t sig, short what, void *arg)
{
	struct run *r = arg;

	(void)what;
	second_signal_kills(r, (int)sig);
	r->ending = true;
	r->interrupted = true;
	event_base_loopbreak(r->base);
}

static void on_drain(evutil_socket_t fd, short what, void *arg)
{
	struct run *r = arg;
	bool late = clock_mono_ns() >= r->drain_until_ns;

	(void)fd, (void)what;
	if (!proxy_drain(r->proxy) && !late)
		return;
	r->interrupted = proxy_stats(r->proxy)->in_flight > 0;
	event_base_loopbreak(r->base);
}

static void on_term(evutil_socket_t sig, short what, void *arg)
{
	struct run *r = arg;

	(void)what;
	second_signal_kills(r, (int)sig);
	r->ending = true;
	r->drain_until_ns = clock_mono_ns() + r->o->drain_ns;
	arm(r->drain, DRAIN_LOOK_NS);
	on_drain(-1, 0, r);
}

static void on_hup(evutil_socket_t sig, short what, void *arg)
{
	struct run *r = arg;

	(void)sig, (void)what;
	if (!recorder_reopen(r->rec, clock_mono_ns(), clock_wall_ns()))
		warn("SIGHUP: a pipe cannot be opened anew");
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

static void show(struct run *r)
{
	struct recorder_state s;
	struct watch_view v = {
		.stats = proxy_stats(r->proxy), .rec = &s, .listen = proxy_address(r->proxy),
		.upstream = r->o->shown_upstream, .now_ns = clock_mono_ns() - r->epoch_ns,
	};

	recorder_look(r->rec, &s);
	console_show(r->console, &v);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct run *r = arg;

	(void)fd, (void)what;
	r->ticks++;
	/* Health once a second, and none of an idle second: a quiet night costs nothing. */
	if (r->ticks % 2 == 0)
		put_health(r);
	recorder_tick(r->rec, clock_mono_ns(), clock_wall_ns());
	tell_news(r);
	if (r->console && r->ticks % 2 == 0)
		show(r);
}

/* ---- the operator's listener ---- */

static void give_metrics(void *arg, struct buf *out)
{
	struct run *r = arg;
	struct recorder_state s;

	recorder_look(r->rec, &s);
	metrics_text(proxy_stats(r->proxy), &s, r->o->recorder.header->epoch_wall_ns, out);
}

static bool is_healthy(void *arg, struct buf *why)
{
	struct run *r = arg;
	struct recorder_state s;

	recorder_look(r->rec, &s);
	if (s.failed)
		buf_printf(why, "nothing is recorded since %s failed; proxying goes on\n", s.file);
	return !s.failed;
}

static int listen_for_scrapes(struct run *r, struct err *e)
{
	const struct scrape_source src = { r, give_metrics, is_healthy };

	if (!r->o->metrics)
		return 0;
	r->scrape = scrape_create(r->base, r->o->metrics, &src, e);
	return r->scrape ? 0 : -1;
}

/* ---- begin and end ---- */

static struct event_base *precise_base(void)
{
	struct event_config *cfg = event_config_new();
	struct event_base *base;

	if (!cfg)
		return NULL;
	/* A wish to write that is taken back in the same turn costs no system call then. */
	event_config_set_flag(cfg, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
	base = event_base_new_with_config(cfg);
	event_config_free(cfg);
	return base;
}

static int make_events(struct run *r, struct err *e)
{
	r->tick = event_new(r->base, -1, EV_PERSIST, on_tick, r);
	r->drain = event_new(r->base, -1, EV_PERSIST, on_drain, r);
	r->sig_int = evsignal_new(r->base, SIGINT, on_int, r);
	r->sig_term = evsignal_new(r->base, SIGTERM, on_term, r);
	r->sig_hup = evsignal_new(r->base, SIGHUP, on_hup, r);
	if (!r->tick || !r->drain || !r->sig_int || !r->sig_term || !r->sig_hup)
		return err_set(e, "out of memory");
	arm(r->tick, TICK_NS);
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
	if (!r->proxy || listen_for_scrapes(r, e) < 0 || make_events(r, e) < 0)
		return -1;
	r->console = r->o->watch ? console_create() : NULL;
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
	scrape_free(r->scrape);
	proxy_free(r->proxy);
	if (r->pool)
		capture_pool_free(r->pool);
	free_event(r->tick);
	free_event(r->drain);
	free_event(r->sig_int);
	free_event(r->sig_term);
	free_event(r->sig_hup);
}

static void say_where(const struct run *r)
{
	if (r->scrape)
		fprintf(stderr, "metrics at http://%s/metrics\n", scrape_address(r->scrape));
	if (!proxy_is_local(r->proxy))
		warn("clients of other machines can connect: whoever reaches this port can use the engine through it%s",
		     r->o->proxy.cert ? "" : ", and anyone between can read along (see --cert)");
	fprintf(stderr, "listening on %s\n", proxy_address(r->proxy));
}

static void summary(const struct run *r)
{
	const struct stats *s = proxy_stats(r->proxy);
	struct recorder_state rec;

	if (r->o->quiet)
		return;
	recorder_look(r->rec, &rec);
	fprintf(stderr, "tokrecord: %lld exchanges recorded, %lld passed", (long long)s->recorded, (long long)s->passed);
	if (s->unsampled)
		fprintf(stderr, " (%lld of them not in the sample)", (long long)s->unsampled);
	if (rec.dropped)
		fprintf(stderr, ", %lld records dropped", (long long)rec.dropped);
	fprintf(stderr, "%s; %s\n", r->interrupted ? ", interrupted" : "", rec.file);
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
		say_where(&r);
		event_base_dispatch(r.base);
		console_free(r.console);
		summary(&r);
	} else {
		console_free(r.console);
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
