#include <config.h>

#include "replay/running.h"

enum { FIRST_FEW = 8 };

void driver_stop(struct driver *d, enum drive_result result)
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
	const struct plan_phase *ph = driver_phase(d);
	int64_t c = ph->load.concurrency;
	size_t n = c == COUNT_NONE ? FIRST_FEW : (size_t)shard_share(&d->plan->opts.shard, c);

	return n < ph->n ? n : ph->n;
}

void driver_ended(void *arg, size_t i, const struct rec_response *last)
{
	struct driver *d = arg;
	size_t ended;

	dispatch_ended(d->dispatch, i, driver_now(d));
	phases_ended(&d->phases, i, last);
	ended = d->phases.s[d->phase].ended;
	if (str_is(last->error_kind, "connect"))
		d->unreachable++;
	if (!d->stopping && ended > 0 && d->unreachable == ended && ended >= first_few(d))
		driver_stop(d, DRIVE_NO_ENGINE);
	/* Not from here: sending inside a callback of the pool would nest without end. */
	if (!d->stopping)
		event_active(d->pump_timer, EV_TIMEOUT, 0);
}

void driver_failed(void *arg)
{
	driver_stop(arg, DRIVE_FAILED);
}

static void wake_at(struct driver *d, int64_t t_ns)
{
	int64_t wait_us;
	struct timeval tv = { 0, 0 };

	if (t_ns == INT64_MAX)
		return;
	wait_us = (t_ns - driver_now(d)) / NS_PER_US + 1;
	if (wait_us > 0)
		tv = (struct timeval){ wait_us / 1000000, wait_us % 1000000 };
	evtimer_add(d->pump_timer, &tv);
}

static bool next_follows(const struct driver *d)
{
	return d->phase + 1 < d->plan->n_phases && d->plan->phases[d->phase + 1].load.follows;
}

int64_t driver_time_over_ns(const struct driver *d)
{
	int64_t duration = driver_phase(d)->load.duration_ns;

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

void driver_preconnect(struct driver *d)
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
	bool at_start = d->start_ns != NS_NONE && driver_phase(d)->kind != PHASE_WARMUP;
	int64_t t = at_start ? d->start_ns : d->begin_ns;

	if (t > driver_now(d)) {
		wake_at(d, t);
		return WAIT;
	}
	if (at_start)
		d->start_ns = NS_NONE;
	return begin_phase(d, at_start ? t : driver_now(d)) < 0 ? FAILED : GO_ON;
}

/* *t_ns: the time at which there was nothing more. */
static int send_what_is_due(struct driver *d, int64_t *t_ns)
{
	struct dispatched what;

	while (dispatch_next(d->dispatch, *t_ns = driver_now(d), &what)) {
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
	int64_t end = driver_time_over_ns(d), t = driver_now(d);
	bool over = t >= end, closed = driver_phase(d)->load.timing == TIMING_CLOSED;

	/* What an open loop has planned was due before the end, though we may be late. */
	if (!(over && closed) && send_what_is_due(d, &t) < 0)
		return FAILED;
	if (!over && (next_follows(d) || !dispatch_exhausted(d->dispatch))) {
		t = dispatch_wake_ns(d->dispatch, t);
		wake_at(d, t < end ? t : end);
		return phases_close(&d->phases, driver_now(d), &d->last) < 0 ? FAILED : WAIT;
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
	int64_t end = driver_time_over_ns(d);
	int64_t last = end > INT64_MAX - d->grace_ns ? INT64_MAX : end + d->grace_ns;

	if (pool_in_flight(d->pool) > 0 && driver_now(d) < last) {
		wake_at(d, last);
		return phases_close(&d->phases, driver_now(d), &d->last) < 0 ? FAILED : WAIT;
	}
	if (pool_in_flight(d->pool) > 0)
		pool_cancel_all(d->pool, "the time and the grace after it were over");
	if (phases_close(&d->phases, driver_now(d), &d->last) < 0)
		return FAILED;
	if (d->phase + 1 == d->plan->n_phases) {
		driver_stop(d, DRIVE_COMPLETE);
		return WAIT;
	}
	d->phase++;
	driver_preconnect(d);
	d->stage = TO_BEGIN;
	d->begin_ns = driver_now(d) + driver_phase(d)->pause_ns;
	return GO_ON;
}

void driver_pump(struct driver *d)
{
	static enum step (*const steps[])(struct driver *) = {
		[TO_BEGIN] = to_begin, [SENDING] = sending, [DRAINING] = draining,
	};
	enum step s;

	do
		s = steps[d->stage](d);
	while (s == GO_ON && !d->stopping);
	if (s == FAILED)
		driver_stop(d, DRIVE_FAILED);
}
