#include <config.h>

#include "replay/driver.h"

#include <signal.h>
#include <stdlib.h>

#include "replay/pool.h"
#include "replay/progress.h"

enum { TICK_US = 500000, FIRST_FEW = 8 };

struct driver {
	const struct runlog *log;
	const struct plan *plan;
	struct tally *tally;
	struct err last;           /* of the latest call that failed */
	struct err *e;             /* the first one, for the caller */
	struct event_base *base;
	struct pool *pool;
	struct event *pump_timer, *tick_timer, *signals[2];
	int64_t epoch_ns;
	struct progress progress;

	size_t phase;
	int64_t begin_ns;          /* of the phase, from the epoch */
	size_t due, next, end;     /* plan indices: first not yet due, first not yet sent, end of phase */
	size_t finished, unreachable; /* in the phase */
	int64_t *queued_ns;        /* per request of the plan: when it was due, as seen */
	bool *ended;               /* per request of the plan */
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
	size_t n = ph->concurrency == COUNT_NONE ? FIRST_FEW : (size_t)ph->concurrency;

	return n < ph->n ? n : ph->n;
}

static void on_ended(void *arg, size_t i, const struct rec_response *last)
{
	struct driver *d = arg;

	d->ended[i] = true;
	d->finished++;
	if (str_is(last->error_kind, "connect"))
		d->unreachable++;
	if (!d->stopping && d->unreachable == d->finished && d->finished >= first_few(d))
		stop(d, DRIVE_NO_ENGINE);
	/* Not from here: sending inside a callback of the pool would nest without end. */
	if (!d->stopping)
		event_active(d->pump_timer, EV_TIMEOUT, 0);
}

static void on_failed(void *arg)
{
	stop(arg, DRIVE_FAILED);
}

static int64_t scheduled_ns(const struct driver *d, size_t i)
{
	int64_t intended = d->plan->e[i].intended_ns;

	return intended == NS_NONE || intended > INT64_MAX - d->begin_ns ?
		intended : d->begin_ns + intended;
}

static void wake_at(struct driver *d, int64_t due_ns)
{
	int64_t wait_us = (due_ns - now(d)) / NS_PER_US + 1;
	struct timeval tv = { 0, 0 };

	if (wait_us > 0)
		tv = (struct timeval){ wait_us / 1000000, wait_us % 1000000 };
	evtimer_add(d->pump_timer, &tv);
}

/* Notes which requests have become due; the timer is set for the one after them. */
static void note_due(struct driver *d)
{
	int64_t t = now(d);

	while (d->due < d->end && scheduled_ns(d, d->due) <= t)
		d->queued_ns[d->due++] = t;
	if (d->due < d->end)
		wake_at(d, scheduled_ns(d, d->due));
}

static bool may_send(const struct driver *d)
{
	const struct plan_phase *ph = phase_of(d);
	const struct plan_entry *en = &d->plan->e[d->next];

	if (d->next == d->end)
		return false;
	if (ph->concurrency != COUNT_NONE && pool_in_flight(d->pool) >= (size_t)ph->concurrency)
		return false;
	if (ph->timing != TIMING_CLOSED)
		return d->next < d->due;
	return !en->waits || d->ended[en->parent];
}

static int send_what_is_due(struct driver *d)
{
	if (phase_of(d)->timing != TIMING_CLOSED)
		note_due(d);
	while (may_send(d)) {
		size_t i = d->next++;

		if (phase_of(d)->timing == TIMING_CLOSED)
			d->queued_ns[i] = now(d);
		if (pool_send(d->pool, i, scheduled_ns(d, i), d->queued_ns[i]) < 0)
			return -1;
	}
	return 0;
}

static int begin_phase(struct driver *d)
{
	const struct plan_phase *ph = phase_of(d);
	int64_t lanes = ph->concurrency;

	d->due = d->next = ph->first;
	d->end = ph->first + ph->n;
	d->finished = d->unreachable = 0;
	if (lanes != COUNT_NONE && lanes > (int64_t)ph->n)
		lanes = (int64_t)ph->n;
	if (pool_set_lanes(d->pool, lanes) < 0)
		return -1;
	d->begin_ns = now(d);
	return runlog_phase(d->log, d->phase, d->begin_ns, NS_NONE, NULL, &d->last);
}

static int end_phase(struct driver *d, const char *verdict)
{
	return runlog_phase(d->log, d->phase, d->begin_ns, now(d), verdict, &d->last);
}

/* Sends what may be sent now, and goes to the next phase when this one is drained. */
static void pump(struct driver *d)
{
	for (;;) {
		if (send_what_is_due(d) < 0)
			break;
		if (d->next < d->end || pool_in_flight(d->pool) > 0)
			return;
		if (end_phase(d, "ok") < 0)
			break;
		if (d->phase + 1 == d->plan->n_phases) {
			stop(d, DRIVE_COMPLETE);
			return;
		}
		d->phase++;
		if (begin_phase(d) < 0)
			break;
	}
	stop(d, DRIVE_FAILED);
}

static void on_pump(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;

	(void)fd, (void)what;
	if (!d->stopping)
		pump(d);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct driver *d = arg;
	struct record r;

	(void)fd, (void)what;
	record_init(&r, REC_CLIENT);
	pool_health(d->pool, &r.u.client);
	r.u.client.t_ns = now(d);
	if (trace_write(d->log->w, &r, &d->last) < 0 ||
	    trace_writer_tick(d->log->w, clock_mono_ns(), &d->last) < 0)
		stop(d, DRIVE_FAILED);
	else
		progress_draw(&d->progress, d->tally, phase_of(d)->concurrency, clock_mono_ns());
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
		.connect_timeout_ns = o->connect_timeout_ns, .idle_timeout_ns = o->idle_timeout_ns,
		.total_timeout_ns = o->total_timeout_ns, .epoch_ns = d->epoch_ns,
		.verbose = o->verbose, .arg = d, .on_ended = on_ended, .on_failed = on_failed,
	};

	d->queued_ns = calloc(d->plan->n, sizeof(*d->queued_ns));
	d->ended = calloc(d->plan->n, sizeof(*d->ended));
	if (cfg && event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		d->base = event_base_new_with_config(cfg);
	if (cfg)
		event_config_free(cfg);
	if (!d->base || !d->queued_ns || !d->ended)
		return err_set(&d->last, "out of memory");
	d->pool = pool_create(d->base, d->log, &po, d->tally, &d->last);
	if (!d->pool || set_up_events(d) < 0)
		return -1;
	progress_init(&d->progress, o->quiet || o->verbose, clock_mono_ns());
	return begin_phase(d);
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
	free(d->queued_ns);
	free(d->ended);
}

/* The run did not come to its end: what is in flight is cancelled, and the phase says why. */
static void cut_short(struct driver *d)
{
	bool interrupted = d->result == DRIVE_INTERRUPTED;

	pool_cancel_all(d->pool, interrupted ? "interrupted" : "the run ended");
	if (d->result != DRIVE_FAILED && end_phase(d, interrupted ? "interrupted" : "no engine") < 0)
		stop(d, DRIVE_FAILED);
}

enum drive_result drive(const struct runlog *log, const struct drive_opts *o, int64_t epoch_ns,
			struct tally *tally, struct err *e)
{
	struct driver d = { .log = log, .plan = log->plan, .tally = tally, .e = e,
			    .epoch_ns = epoch_ns, .result = DRIVE_COMPLETE };

	if (set_up(&d, o) < 0) {
		stop(&d, DRIVE_FAILED);
		tear_down(&d);
		return DRIVE_FAILED;
	}
	event_active(d.pump_timer, EV_TIMEOUT, 0);
	event_base_dispatch(d.base);
	if (d.result != DRIVE_COMPLETE)
		cut_short(&d);
	progress_clear(&d.progress);
	tear_down(&d);
	return d.result;
}
