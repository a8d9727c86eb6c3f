/*
 * driver: order, slots, deadlines, phases, sessions and bad ends, against a capture that
 * this file fakes: an exchange ends after a given time, with a given status.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/capture.h"
#include "replay/driver.h"

enum { N = 6, SLACK_MS = 250 };

struct capture {
	struct capture_pool *p;
	struct capture_request req;
	struct event *timer;
	struct capture *next;
};

struct capture_pool {
	struct event_base *base;
	int64_t epoch_ns;
	struct capture *all;
};

/* What the fake engine does, and what it saw. */
static struct {
	int64_t answer_ms;
	const char *error_kind; /* every exchange ends like this */
	size_t in_flight, most, started;
	int64_t order[64];
	int signal_after;       /* raise SIGINT when so many have started; 0: never */
} fake;

struct capture_pool *capture_pool_create(struct event_base *base, const struct capture_opts *o,
					 struct err *e)
{
	struct capture_pool *p = calloc(1, sizeof(*p));

	(void)e;
	p->base = base;
	p->epoch_ns = o->epoch_ns;
	return p;
}

static void finish(struct capture *c, enum status status, const char *kind)
{
	struct capture **at = &c->p->all;
	struct record r;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	fake.in_flight--;
	record_init(&r, REC_RESPONSE);
	r.u.response.id = c->req.id;
	r.u.response.last = true;
	r.u.response.status = status;
	r.u.response.error_kind = str_of(kind);
	r.u.response.end_ns = clock_mono_ns() - c->p->epoch_ns;
	c->req.on_record(c->req.arg, &r.u.response);
	c->req.on_done(c->req.arg, &r.u.response, status == ST_OK);
	event_free(c->timer);
	free(c);
}

void capture_pool_cancel_all(struct capture_pool *p, const char *why)
{
	(void)why;
	while (p->all)
		finish(p->all, ST_CANCELLED, "cancelled");
}

void capture_pool_free(struct capture_pool *p)
{
	capture_pool_cancel_all(p, NULL);
	free(p);
}

size_t capture_pool_preconnect(struct capture_pool *p, const char *url, size_t n)
{
	(void)p, (void)url;
	return n;
}

void capture_pool_health(struct capture_pool *p, struct rec_client *out)
{
	(void)p, (void)out;
}

static void on_answer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	finish(arg, fake.error_kind ? ST_ERROR : ST_OK, fake.error_kind);
}

struct capture *capture_start(struct capture_pool *p, const struct capture_request *r,
			      int64_t *sent_ns, struct err *e)
{
	struct timeval tv = { fake.answer_ms / 1000, fake.answer_ms % 1000 * 1000 };
	struct capture *c = calloc(1, sizeof(*c));

	(void)e;
	*c = (struct capture){ .p = p, .req = *r, .next = p->all };
	p->all = c;
	c->timer = evtimer_new(p->base, on_answer, c);
	evtimer_add(c->timer, &tv);
	*sent_ns = clock_mono_ns() - p->epoch_ns;
	fake.order[fake.started++] = r->id;
	if (++fake.in_flight > fake.most)
		fake.most = fake.in_flight;
	if (fake.signal_after && fake.started == (size_t)fake.signal_after)
		raise(SIGINT);
	return c;
}

void capture_cancel(struct capture *c, const char *why)
{
	(void)why;
	finish(c, ST_CANCELLED, "cancelled");
}

/* A source of N requests, 100 ms apart. */
static void make_source(struct source *s, bool sessions)
{
	struct segment *seg = calloc(1, sizeof(*seg));
	struct exchange *x = calloc(N, sizeof(*x));
	struct record r;
	struct err e;

	*s = (struct source){ .n = 0 };
	record_init(&r, REC_HEADER);
	seg->header = r.u.header;
	for (int i = 0; i < N; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = i;
		r.u.request.scheduled_ns = i * 100 * NS_PER_MS;
		r.u.request.input_tokens = 20;
		r.u.request.output_tokens = 2;
		/* Two conversations of three turns: 0 1 2, 3 4 5. */
		r.u.request.parent = sessions && i % 3 ? i - 1 : COUNT_NONE;
		x[i].req = r.u.request;
	}
	s->d = (struct trace_data){ .segments = seg, .n_segments = 1, .x = x, .n = N };
	assert_int_equal(source_fill(s, &e), 0);
}

/* The run's requests and phases as its trace holds them. */
struct seen {
	struct rec_request q[64];
	size_t n;
	struct rec_phase phase[8];
	size_t ended_phases, responses;
	char verdict[32];
};

static void read_back(const char *path, struct seen *s)
{
	struct trace_reader *r;
	struct record rec;
	struct err e;

	*s = (struct seen){ .n = 0 };
	assert_int_equal(trace_reader_open(path, &r, &e), 0);
	while (trace_next(r, &rec, &e) == 1) {
		if (rec.kind == REC_REQUEST)
			s->q[s->n++] = rec.u.request;
		if (rec.kind == REC_RESPONSE)
			s->responses++;
		if (rec.kind != REC_PHASE || rec.u.phase.end_ns == NS_NONE)
			continue;
		s->phase[s->ended_phases++] = rec.u.phase;
		snprintf(s->verdict, sizeof(s->verdict), "%.*s", (int)rec.u.phase.verdict.n,
			 rec.u.phase.verdict.p);
	}
	trace_reader_close(r);
}

struct setting {
	enum timing timing;
	const int64_t *levels;
	size_t n_levels;
	int64_t warmups;
	bool sessions;
	int64_t duration_ms, grace_ms;
	bool follows;              /* each level the one before */
};

static enum drive_result run(const struct setting *set, struct seen *seen)
{
	char path[] = "/tmp/toktrace-driver.XXXXXX";
	struct load loads[4];
	struct plan_opts po = { .loads = loads, .recorded = { 1, NS_NONE, NS_NONE, NS_NONE },
				.n_levels = set->n_levels, .warmups = set->warmups,
				.shard = { 0, 1 }, .req = { .max_tokens = COUNT_NONE } };
	struct health health;
	struct drive_opts o = { .quiet = true, .preconnect = COUNT_NONE, .threads = 1, .start_wall_ns = NS_NONE };
	struct trace_origin *origin = trace_origin_create(0, NULL);
	struct probe engine = { "", "", "" };
	struct runlog log = { .w = NULL };
	enum drive_result result;
	struct tally tally = { 0 };
	struct target target;
	struct source s;
	struct plan p;
	struct err e;
	int64_t epoch_ns;

	for (size_t i = 0; i < set->n_levels; i++) {
		loads[i] = load_closed(set->levels[i]);
		loads[i].timing = set->timing;
		loads[i].rate = ramp_flat(10);
		loads[i].duration_ns = set->duration_ms ? set->duration_ms * NS_PER_MS : NS_NONE;
		loads[i].follows = set->follows && i > 0;
	}
	o.grace_ns = set->grace_ms * NS_PER_MS;
	close(mkstemp(path));
	make_source(&s, set->sessions);
	assert_int_equal(target_init(&target, "127.0.0.1:1", NULL, 0, NULL, &e), 0);
	assert_int_equal(plan_build(&s, &po, &p, &e), 0);
	log = (struct runlog){ .plan = &p, .target = &target };
	assert_int_equal(trace_writer_open(path, &log.w, &e), 0);
	assert_int_equal(runlog_header(&log, origin, &engine, "x.tok", &epoch_ns, &e), 0);
	health_init(&health);
	result = drive(&log, &o, epoch_ns, &tally, &health, &e);
	assert_int_equal(runlog_end(&log, 1, false, &e), 0);
	assert_int_equal(trace_writer_close(log.w, &e), 0);
	read_back(path, seen);
	unlink(path);
	plan_release(&p);
	target_release(&target);
	trace_origin_free(origin);
	free(s.items);
	free(s.d.x);
	free(s.d.segments);
	return result;
}

static int reset(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.answer_ms = 5;
	return 0;
}

static void assert_near_ms(int64_t got_ns, int64_t want_ms)
{
	assert_true(got_ns >= want_ms * NS_PER_MS);
	assert_true(got_ns < (want_ms + SLACK_MS) * NS_PER_MS);
}

static void levels_run_in_order_and_are_drained(void **state)
{
	static const int64_t levels[] = { 1, 4 };
	struct setting set = { TIMING_CLOSED, levels, 2, 2, false, 0, 0, false };
	static struct seen s;

	(void)state;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(fake.started, 2 * (2 + N));
	assert_int_equal(fake.most, 4);
	for (size_t i = 0; i < fake.started; i++)
		assert_int_equal(fake.order[i], i);
	assert_int_equal(s.ended_phases, 4);
	assert_int_equal(s.responses, fake.started);
	assert_int_equal(s.phase[0].kind, PHASE_WARMUP);
	assert_int_equal(s.phase[3].kind, PHASE_ROUND);
	assert_int_equal(s.phase[3].concurrency, 4);
	assert_string_equal(s.verdict, "ok");
	for (size_t i = 1; i < 4; i++)
		assert_true(s.phase[i].begin_ns >= s.phase[i - 1].end_ns);
	for (size_t i = 0; i < s.n; i++) {
		assert_true(s.q[i].scheduled_ns == NS_NONE);
		assert_in_range(s.q[i].lane, 0, 3);
		assert_true(s.q[i].sent_ns >= s.q[i].queued_ns);
	}
	/* Warm-ups repeat no request of the source. */
	assert_int_equal(s.q[0].source_id, COUNT_NONE);
	assert_int_equal(s.q[2].source_id, 0);
}

/* Case D14: one slot, 300 ms an answer, a request each 100 ms. */
static void waiting_for_a_slot_is_recorded(void **state)
{
	static const int64_t levels[] = { 1 };
	struct setting set = { TIMING_RECORDED, levels, 1, 0, false, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 300;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(s.n, N);
	for (int64_t i = 0; i < N; i++) {
		int64_t begin = s.phase[0].begin_ns;

		assert_true(s.q[i].scheduled_ns - begin == i * 100 * NS_PER_MS);
		assert_near_ms(s.q[i].queued_ns - begin, i * 100);
		assert_near_ms(s.q[i].sent_ns - begin, i * 300);
	}
	assert_true(s.phase[0].rate_hz > 9.99 && s.phase[0].rate_hz < 10.01);
}

static void without_a_cap_nothing_waits(void **state)
{
	static const int64_t no_cap = COUNT_NONE;
	struct setting set = { TIMING_RECORDED, &no_cap, 1, 0, false, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 300;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_true(fake.most >= 3);
	for (int64_t i = 0; i < N; i++) {
		assert_near_ms(s.q[i].sent_ns - s.phase[0].begin_ns, i * 100);
		assert_int_equal(s.q[i].lane, COUNT_NONE);
	}
}

/* Two conversations of three turns at C = 6: turn 1 waits for turn 0, and 3 does not overtake it. */
static void turns_wait_and_nothing_overtakes(void **state)
{
	static const int64_t levels[] = { 6 };
	struct setting set = { TIMING_CLOSED, levels, 1, 0, true, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 20;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(fake.order[i], i);
	for (size_t i = 1; i < N; i++)
		if (i % 3)
			assert_true(s.q[i].sent_ns - s.q[i - 1].sent_ns >= 20 * NS_PER_MS);
	assert_int_equal(s.q[4].parent, 3);
	assert_int_equal(fake.most, 2);
}

static void nobody_there_ends_the_run(void **state)
{
	static const int64_t levels[] = { 2, 4 };
	struct setting set = { TIMING_CLOSED, levels, 2, 0, false, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.error_kind = "connect";
	assert_int_equal(run(&set, &s), DRIVE_NO_ENGINE);
	assert_in_range(fake.started, 2, 4);
	assert_int_equal(s.ended_phases, 1);
	assert_int_equal(s.responses, fake.started);
	assert_string_equal(s.verdict, "no engine");
}

/* Other failures are results: the run goes on. */
static void failures_are_results(void **state)
{
	static const int64_t levels[] = { 2 };
	struct setting set = { TIMING_CLOSED, levels, 1, 0, false, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.error_kind = "http_503";
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(fake.started, N);
}

static void a_signal_ends_it_tidily(void **state)
{
	static const int64_t levels[] = { 2 };
	struct setting set = { TIMING_CLOSED, levels, 1, 0, false, 0, 0, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 10000;
	fake.signal_after = 2;
	assert_int_equal(run(&set, &s), DRIVE_INTERRUPTED);
	assert_int_equal(s.responses, 2);
	assert_string_equal(s.verdict, "interrupted");
}

/* Two slots for 150 ms, 100 ms an answer: the second pair ends within the grace. */
static void after_the_duration_there_is_grace(void **state)
{
	static const int64_t levels[] = { 2 };
	struct setting set = { TIMING_CLOSED, levels, 1, 0, false, 150, 5000, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 100;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_in_range(fake.started, 2, 4);
	assert_int_equal(s.responses, fake.started);
	assert_string_equal(s.verdict, "time over");
	for (size_t i = 0; i < s.n; i++)
		assert_true(s.q[i].sent_ns - s.phase[0].begin_ns < 150 * NS_PER_MS);
}

static void after_the_grace_it_is_cut(void **state)
{
	static const int64_t levels[] = { 2 };
	struct setting set = { TIMING_CLOSED, levels, 1, 0, false, 50, 20, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 60000;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(fake.started, 2);
	assert_int_equal(s.responses, 2);
	assert_string_equal(s.verdict, "cut off");
	assert_near_ms(s.phase[0].end_ns - s.phase[0].begin_ns, 70);
}

/* Ten a second for 550 ms, one slot, answers that never come: six were offered, five never sent. */
static void what_found_no_slot_is_in_the_trace(void **state)
{
	static const int64_t levels[] = { 1 };
	struct setting set = { TIMING_CONSTANT, levels, 1, 0, false, 550, 20, false };
	static struct seen s;

	(void)state;
	fake.answer_ms = 60000;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(fake.started, 1);
	assert_int_equal(s.n, 6);
	assert_int_equal(s.responses, 6);
	for (int64_t i = 1; i < 6; i++) {
		assert_true(s.q[i].sent_ns == NS_NONE);
		assert_true(s.q[i].scheduled_ns - s.phase[0].begin_ns == i * 100 * NS_PER_MS);
	}
	assert_string_equal(s.verdict, "cut off");
}

/* The second stage begins at its time, to the ns, though an answer of the first is out. */
static void stages_do_not_drain(void **state)
{
	static const int64_t no_caps[] = { COUNT_NONE, COUNT_NONE };
	struct setting set = { TIMING_CONSTANT, no_caps, 2, 0, false, 200, 5000, true };
	static struct seen s;

	(void)state;
	fake.answer_ms = 300;
	assert_int_equal(run(&set, &s), DRIVE_COMPLETE);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.ended_phases, 2);
	assert_true(s.phase[1].begin_ns - s.phase[0].begin_ns == 200 * NS_PER_MS);
	assert_true(s.phase[0].end_ns > s.phase[1].begin_ns);
	for (int64_t i = 0; i < 4; i++) {
		assert_int_equal(s.q[i].phase, i / 2);
		assert_near_ms(s.q[i].sent_ns - s.phase[0].begin_ns, i * 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(levels_run_in_order_and_are_drained, reset),
		cmocka_unit_test_setup(waiting_for_a_slot_is_recorded, reset),
		cmocka_unit_test_setup(without_a_cap_nothing_waits, reset),
		cmocka_unit_test_setup(turns_wait_and_nothing_overtakes, reset),
		cmocka_unit_test_setup(nobody_there_ends_the_run, reset),
		cmocka_unit_test_setup(failures_are_results, reset),
		cmocka_unit_test_setup(a_signal_ends_it_tidily, reset),
		cmocka_unit_test_setup(after_the_duration_there_is_grace, reset),
		cmocka_unit_test_setup(after_the_grace_it_is_cut, reset),
		cmocka_unit_test_setup(what_found_no_slot_is_in_the_trace, reset),
		cmocka_unit_test_setup(stages_do_not_drain, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
