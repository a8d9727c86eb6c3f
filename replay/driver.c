#include <config.h>

#include "replay/running.h"

#include <signal.h>
#include <stdlib.h>

enum { TICK_US = 500000, TICKS_A_HEALTH = 2 };

static void on_pump(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)fd, (void)what;
	if (!d->stopping)
		driver_pump(d);
}

static int put_health(struct driver *d)
{
	struct record r;

	record_init(&r, REC_CLIENT);
	pool_health(d->pool, &r.u.client);
	r.u.client.t_ns = driver_now(d);
	health_add(d->health, &r.u.client);
	return trace_write(d->log->w, &r, &d->last);
}

static void draw_progress(struct driver *d)
{
	int64_t end = driver_time_over_ns(d);
	struct progress_level l = {
		.concurrency = driver_phase(d)->load.concurrency,
		.left_ns = end == INT64_MAX ? end : end - driver_now(d),
	};

	progress_draw(&d->progress, d->tally, &l, clock_mono_ns());
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)fd, (void)what;
	if ((++d->ticks % TICKS_A_HEALTH == 0 && put_health(d) < 0) ||
	    trace_writer_tick(d->log->w, clock_mono_ns(), &d->last) < 0)
		driver_stop(d, DRIVE_FAILED);
	else
		draw_progress(d);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)what;
	/* Back to the default: the next one ends the process without asking us. */
	for (int i = 0; i < 2; i++)
		event_del(d->signals[i]);
	signal((int)fd, SIG_DFL);
	driver_stop(d, DRIVE_INTERRUPTED);
}

static int set_up_events(struct driver *d)
{
	static const int numbers[2] = { SIGINT, SIGTERM };
	const struct timeval tick = { 0, TICK_US };

	d->pump_timer = evtimer_new(d->base, on_pump, d);
	d->tick_timer = event_new(d->base, -1, EV_PERSIST, on_tick, d);
	for (int i = 0; i < 2; i++) {
		d->signals[i] = evsignal_new(d->base, numbers[i], on_signal, d);
		if (!d->signals[i] || event_add(d->signals[i], NULL) < 0)
			return err_set(&d->last, "out of memory");
	}
	if (!d->pump_timer || !d->tick_timer || event_add(d->tick_timer, &tick) < 0)
		return err_set(&d->last, "out of memory");
	return 0;
}

static int set_up(struct driver *d, const struct drive_opts *o)
{
	struct event_config *cfg = event_config_new();
	struct pool_opts po = {
		.epoch_ns = d->epoch_ns, .threads = o->threads,
		.verbose = o->verbose, .arg = d, .on_ended = driver_ended, .on_failed = driver_failed,
	};

	d->dispatch = dispatch_create(d->plan);
	if (cfg && event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		d->base = event_base_new_with_config(cfg);
	if (cfg)
		event_config_free(cfg);
	if (!d->base || !d->dispatch || phases_init(&d->phases, d->log) < 0)
		return err_set(&d->last, "out of memory");
	d->pool = pool_create(d->base, d->log, &po, d->tally, &d->last);
	if (!d->pool || set_up_events(d) < 0)
		return -1;
	d->phases.quiet = o->quiet;
	progress_init(&d->progress, o->quiet || o->verbose, clock_mono_ns());
	d->grace_ns = o->grace_ns;
	d->preconnect = o->preconnect;
	driver_preconnect(d);
	if (o->start_wall_ns != NS_NONE)
		d->start_ns = o->start_wall_ns - clock_wall_ns() + driver_now(d);
	return 0;
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

static void tear_down(struct driver *d)
{
	d->stopping = true;
	pool_free(d->pool);
	free_event(d->pump_timer);
	free_event(d->tick_timer);
	free_event(d->signals[0]);
	free_event(d->signals[1]);
	if (d->base)
		event_base_free(d->base);
	dispatch_free(d->dispatch);
	phases_release(&d->phases);
}

/* The run did not come to its end: what is in flight is cancelled, and the phase says why. */
static void cut_short(struct driver *d)
{
	bool interrupted = d->result == DRIVE_INTERRUPTED;

	pool_cancel_all(d->pool, interrupted ? "interrupted" : "the run ended");
	if (d->result != DRIVE_FAILED &&
	    phases_cut(&d->phases, driver_now(d), interrupted ? "interrupted" : "no engine", &d->last) < 0)
		driver_stop(d, DRIVE_FAILED);
}

enum drive_result drive(const struct runlog *log, const struct drive_opts *o, int64_t epoch_ns,
			struct tally *tally, struct health *health, struct err *e)
{
	struct driver d = { .log = log, .plan = log->plan, .tally = tally, .e = e, .health = health,
			    .epoch_ns = epoch_ns, .start_ns = NS_NONE, .result = DRIVE_COMPLETE };

	if (set_up(&d, o) < 0) {
		driver_stop(&d, DRIVE_FAILED);
		tear_down(&d);
		return DRIVE_FAILED;
	}
	event_active(d.pump_timer, EV_TIMEOUT, 0);
	event_base_dispatch(d.base);
	if (d.result != DRIVE_COMPLETE)
		cut_short(&d);
	if (d.result != DRIVE_FAILED && put_health(&d) < 0)
		driver_stop(&d, DRIVE_FAILED);
	progress_clear(&d.progress);
	tear_down(&d);
	return d.result;
}
