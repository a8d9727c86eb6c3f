#include <config.h>

#include "replay/driver.h"

#include <signal.h>
#include <stdlib.h>

#include "replay/phases.h"
#include "replay/pool.h"
#include "replay/progress.h"

enum { TICK_US = 500000, TICKS_A_HEALTH = 2, FIRST_FEW = 8 };

struct driver {
	const struct plan *plan;
	const struct runlog *log;
	struct tally *tally;
	struct err last;           /* of the latest call that failed */
	struct err *e;             /* the first one, for the caller */
	struct event_base *base;
	struct pool *pool;
	struct dispatch *dispatch;
	struct phases phases;
	struct event *pump_timer, *tick_timer, *signals[2];
	int64_t epoch_ns, grace_ns;
	int64_t preconnect;        /* as in struct drive_opts */
	struct progress progress;
	struct health *health;
	int64_t ticks;

	size_t phase;
	enum { TO_BEGIN, SENDING, DRAINING } stage; /* of the phase */
	int64_t begin_ns;          /* of the phase, from the epoch */
	int64_t start_ns;          /* of the first round; NS_NONE: at once */
	size_t unreachable;        /* in the phase */
	bool stopping;
	enum drive_result result;
};

static int64_t now(const struct driver *d)
{
	return clock_mono_ns() - d->epoch_ns;
}

static const struct plan_phase *phase_of(const struct driver *d)
{
	return &d->plan->phases[d->phase];
}

static void stop(struct driver *d, enum drive_result result)
{
	/* That the trace cannot be written outranks every other reason. */
	if (d->stopping && result != DRIVE_FAILED)
		return;
	/* What fails after the first failure fails because of it. */
	if (result == DRIVE_FAILED && d->result != DRIVE_FAILED)
		*d->e = d->last;
	d->stopping = true;
	d->result = result;
	if (d->base)
		event_base_loopbreak(d->base);
}

/* How many requests must find nobody, and none somebody, to call the engine down. */
static size_t first_few(const struct driver *d)
{
	const struct plan_phase *ph = phase_of(d);
	int64_t c = ph->load.concurrency;
	size_t n = c == COUNT_NONE ? FIRST_FEW : (size_t)shard_share(&d->plan->opts.shard, c);

	return n < ph->n ? n : ph->n;
}

static void on_ended(void *arg, size_t i, const struct rec_response *last)
{
	struct driver *d = arg;
	size_t ended;

	dispatch_ended(d->dispatch, i, now(d));
	phases_ended(&d->phases, i, last->status);
	ended = d->phases.s[d->phase].ended;
	if (str_is(last->error_kind, "connect"))
		d->unreachable++;
	if (!d->stopping && ended > 0 && d->unreachable == ended && ended >= first_few(d))
		stop(d, DRIVE_NO_ENGINE);
	/* Not from here: sending inside a callback of the pool would nest without end. */
	if (!d->stopping)
		event_active(d->pump_timer, EV_TIMEOUT, 0);
}

static void on_failed(void *arg)
{
	stop(arg, DRIVE_FAILED);
}

static void wake_at(struct driver *d, int64_t t_ns)
{
	int64_t wait_us;
	struct timeval tv = { 0, 0 };

	if (t_ns == INT64_MAX)
		return;
	wait_us = (t_ns - now(d)) / NS_PER_US + 1;
	if (wait_us > 0)
		tv = (struct timeval){ wait_us / 1000000, wait_us % 1000000 };
	evtimer_add(d->pump_timer, &tv);
}

static bool next_follows(const struct driver *d)
{
	return d->phase + 1 < d->plan->n_phases && d->plan->phases[d->phase + 1].load.follows;
}

/* When the phase stops to send, INT64_MAX if only when all is sent. */
static int64_t time_over_ns(const struct driver *d)
{
	int64_t duration = phase_of(d)->load.duration_ns;

	return duration == NS_NONE ? INT64_MAX : d->begin_ns + duration;
}

static int begin_phase(struct driver *d, int64_t begin_ns)
{
	d->begin_ns = begin_ns;
	d->stage = SENDING;
	d->unreachable = 0;
	if (dispatch_begin(d->dispatch, d->phase, begin_ns) < 0)
		return err_set(&d->last, "out of memory");
	return phases_begin(&d->phases, d->phase, begin_ns, &d->last);
}

/* Nothing is in flight: opening connections now is in nobody's way. */
static void preconnect(struct driver *d)
{
	int64_t n = d->preconnect;

	for (size_t i = d->phase; i < d->plan->n_phases && d->preconnect == COUNT_NONE; i++) {
		const struct plan_phase *ph = &d->plan->phases[i];
		int64_t c = ph->load.concurrency;

		if (i > d->phase && !ph->load.follows)
			break;
		if (c != COUNT_NONE)
			c = shard_share(&d->plan->opts.shard, c);
		if (c > (int64_t)ph->n)
			c = (int64_t)ph->n;
		n = c > n ? c : n;
	}
	if (n > 0)
		pool_preconnect(d->pool, (size_t)n);
}

/* What a step of the pump came to. */
enum step { FAILED, WAIT, GO_ON };

/* The first round begins at the common start, everything else as soon as it can. */
static enum step to_begin(struct driver *d)
{
	bool at_start = d->start_ns != NS_NONE && phase_of(d)->kind != PHASE_WARMUP;
	int64_t t = at_start ? d->start_ns : d->begin_ns;

	if (t > now(d)) {
		wake_at(d, t);
		return WAIT;
	}
	if (at_start)
		d->start_ns = NS_NONE;
	return begin_phase(d, at_start ? t : now(d)) < 0 ? FAILED : GO_ON;
}

/* *t_ns: the time at which there was nothing more. */
static int send_what_is_due(struct driver *d, int64_t *t_ns)
{
	struct dispatched what;

	while (dispatch_next(d->dispatch, *t_ns = now(d), &what)) {
		phases_sent(&d->phases, what.i);
		if (pool_send(d->pool, &what) < 0)
			return -1;
	}
	return 0;
}

/* What had waited for a slot until the end was offered, too: it is part of the result. */
static int drop_what_was_due(struct driver *d)
{
	struct dispatched what;

	while (dispatch_drop(d->dispatch, &what)) {
		phases_unsent(&d->phases);
		if (pool_never_send(d->pool, &what, "no slot was free before the time was over") < 0)
			return -1;
	}
	return 0;
}

static enum step sending(struct driver *d)
{
	int64_t end = time_over_ns(d), t = now(d);
	bool over = t >= end, closed = phase_of(d)->load.timing == TIMING_CLOSED;

	/* What an open loop has planned was due before the end, though we may be late. */
	if (!(over && closed) && send_what_is_due(d, &t) < 0)
		return FAILED;
	if (!over && (next_follows(d) || !dispatch_exhausted(d->dispatch))) {
		t = dispatch_wake_ns(d->dispatch, t);
		wake_at(d, t < end ? t : end);
		return phases_close(&d->phases, now(d), &d->last) < 0 ? FAILED : WAIT;
	}
	d->tally->ran_out += !over && closed && end != INT64_MAX;
	phases_sending_over(&d->phases, over && !dispatch_exhausted(d->dispatch));
	if (over)
		dispatch_time_over(d->dispatch);
	d->stage = DRAINING;
	if (next_follows(d)) {
		d->phase++;
		return begin_phase(d, end) < 0 ? FAILED : GO_ON;
	}
	return drop_what_was_due(d) < 0 ? FAILED : GO_ON;
}

static enum step draining(struct driver *d)
{
	int64_t end = time_over_ns(d);
	int64_t last = end > INT64_MAX - d->grace_ns ? INT64_MAX : end + d->grace_ns;

	if (pool_in_flight(d->pool) > 0 && now(d) < last) {
		wake_at(d, last);
		return phases_close(&d->phases, now(d), &d->last) < 0 ? FAILED : WAIT;
	}
	if (pool_in_flight(d->pool) > 0)
		pool_cancel_all(d->pool, "the time and the grace after it were over");
	if (phases_close(&d->phases, now(d), &d->last) < 0)
		return FAILED;
	if (d->phase + 1 == d->plan->n_phases) {
		stop(d, DRIVE_COMPLETE);
		return WAIT;
	}
	d->phase++;
	preconnect(d);
	d->stage = TO_BEGIN;
	d->begin_ns = now(d) + phase_of(d)->pause_ns;
	return GO_ON;
}

/* Sends what may be sent now, and goes to the next phase when this one is over. */
static void pump(struct driver *d)
{
	static enum step (*const steps[])(struct driver *) = {
		[TO_BEGIN] = to_begin, [SENDING] = sending, [DRAINING] = draining,
	};
	enum step s;

	do
		s = steps[d->stage](d);
	while (s == GO_ON && !d->stopping);
	if (s == FAILED)
		stop(d, DRIVE_FAILED);
}

static void on_pump(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)fd, (void)what;
	if (!d->stopping)
		pump(d);
}

static int put_health(struct driver *d)
{
	struct record r;

	record_init(&r, REC_CLIENT);
	pool_health(d->pool, &r.u.client);
	r.u.client.t_ns = now(d);
	health_add(d->health, &r.u.client);
	return trace_write(d->log->w, &r, &d->last);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)fd, (void)what;
	if ((++d->ticks % TICKS_A_HEALTH == 0 && put_health(d) < 0) ||
	    trace_writer_tick(d->log->w, clock_mono_ns(), &d->last) < 0)
		stop(d, DRIVE_FAILED);
	else
		progress_draw(&d->progress, d->tally, phase_of(d)->load.concurrency, clock_mono_ns());
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)what;
	/* Back to the default: the next one ends the process without asking us. */
	for (int i = 0; i < 2; i++)
		event_del(d->signals[i]);
	signal((int)fd, SIG_DFL);
	stop(d, DRIVE_INTERRUPTED);
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
		.epoch_ns = d->epoch_ns,
		.verbose = o->verbose, .arg = d, .on_ended = on_ended, .on_failed = on_failed,
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
	progress_init(&d->progress, o->quiet || o->verbose, clock_mono_ns());
	d->grace_ns = o->grace_ns;
	d->preconnect = o->preconnect;
	preconnect(d);
	if (o->start_wall_ns != NS_NONE)
		d->start_ns = o->start_wall_ns - clock_wall_ns() + now(d);
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
	    phases_cut(&d->phases, now(d), interrupted ? "interrupted" : "no engine", &d->last) < 0)
		stop(d, DRIVE_FAILED);
}

enum drive_result drive(const struct runlog *log, const struct drive_opts *o, int64_t epoch_ns,
			struct tally *tally, struct health *health, struct err *e)
{
	struct driver d = { .log = log, .plan = log->plan, .tally = tally, .e = e, .health = health,
			    .epoch_ns = epoch_ns, .start_ns = NS_NONE, .result = DRIVE_COMPLETE };

	if (set_up(&d, o) < 0) {
		stop(&d, DRIVE_FAILED);
		tear_down(&d);
		return DRIVE_FAILED;
	}
	event_active(d.pump_timer, EV_TIMEOUT, 0);
	event_base_dispatch(d.base);
	if (d.result != DRIVE_COMPLETE)
		cut_short(&d);
	if (d.result != DRIVE_FAILED && put_health(&d) < 0)
		stop(&d, DRIVE_FAILED);
	progress_clear(&d.progress);
	tear_down(&d);
	return d.result;
}
