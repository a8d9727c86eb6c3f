/*
 * The recorder on real files, with a made-up clock: rotation, exchanges that outlive it, a
 * disk that does not move, a disk that is full.  What was written is read back.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/rng.h"
#include "formats/trace/exchanges.h"
#include "record/recorder.h"

/* 2026-12-01T12:45:00Z; the monotonic clock is anywhere. */
#define WALL (INT64_C(1796129100) * NS_PER_S)
#define MONO (INT64_C(5000) * NS_PER_S)
#define WAIT (20 * NS_PER_S)
#define GRACE (60 * NS_PER_S)

enum { BIG = 40000 };

struct desk {
	char dir[32], path[64];
	struct record header;
	struct recorder_opts o;
	struct recorder *r;
	int64_t now_ns; /* from the epoch */
};

static int set_up(void **state)
{
	struct desk *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	snprintf(d->dir, sizeof(d->dir), "/tmp/toktrace-rec-XXXXXX");
	assert_non_null(mkdtemp(d->dir));
	snprintf(d->path, sizeof(d->path), "%s/day.tok", d->dir);
	record_init(&d->header, REC_HEADER);
	d->header.u.header.epoch_mono_ns = MONO;
	d->header.u.header.epoch_wall_ns = WALL;
	d->o = (struct recorder_opts){
		.path = d->path, .header = &d->header.u.header, .queue_bytes = 1 << 20, .grace_ns = GRACE,
	};
	*state = d;
	return 0;
}

static int tear_down(void **state)
{
	struct desk *d = *state;
	char pattern[80];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/*", d->dir);
	if (glob(pattern, 0, NULL, &g) == 0) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			unlink(g.gl_pathv[i]);
		globfree(&g);
	}
	rmdir(d->dir);
	free(d);
	return 0;
}

static void start(struct desk *d)
{
	struct err e;

	d->r = recorder_create(&d->o, &e);
	assert_non_null(d->r);
	assert_int_equal(recorder_open(d->r, &e), 0);
}

static int stop(struct desk *d, struct err *e)
{
	return recorder_close(d->r, d->now_ns, false, WAIT, e);
}

static void ask(struct desk *d, int64_t id, struct str body)
{
	struct record rec;

	record_init(&rec, REC_REQUEST);
	rec.u.request.id = id;
	rec.u.request.sent_ns = d->now_ns;
	rec.u.request.parent = id - 1;
	rec.u.request.body = body;
	recorder_put(d->r, &rec);
}

static void answer(struct desk *d, int64_t id, int64_t part, bool last, const char *text)
{
	const struct event ev = {
		.t_ns = d->now_ns, .cls = EV_CONTENT, .cum_tokens = COUNT_NONE, .text = str_of(text), .text_len = strlen(text),
	};
	struct record rec;
	struct rec_response *s = &rec.u.response;

	record_init(&rec, REC_RESPONSE);
	s->id = id;
	s->part = part;
	s->last = last;
	s->end_ns = d->now_ns;
	s->status = ST_OK;
	s->finish_reason = str_of("stop");
	s->done_marker = true;
	events_init(&s->events, true, 1 << 20);
	assert_int_equal(events_add(&s->events, &ev), 0);
	recorder_put(d->r, &rec);
	events_release(&s->events);
}

/* Whatever is queued now is on disk, and the recorder knows. */
static void settle(struct desk *d)
{
	struct recorder_state s;

	do {
		usleep(2000);
		recorder_look(d->r, &s);
	} while (s.queue_records > 0);
}

static void tick(struct desk *d, int64_t now_ns)
{
	d->now_ns = now_ns;
	recorder_tick(d->r, MONO + now_ns, WALL + now_ns);
}

static void load(struct desk *d, const char *name, int want, struct trace_data *t)
{
	char path[128];
	struct err e = { "" };

	snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	if (trace_data_load(path, true, t, &e) != want)
		fail_msg("%s: %s", path, e.msg);
}

static bool exists(struct desk *d, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	return access(path, F_OK) == 0;
}

static void exchange_stays_with_its_file(void **state)
{
	struct desk *d = *state;
	struct trace_data t;
	struct err e;

	d->o.rotate.every_ns = 3600 * NS_PER_S;
	start(d);
	ask(d, 0, str_of("a"));
	ask(d, 1, str_of("b"));
	answer(d, 1, 0, true, "one");
	tick(d, 3599 * NS_PER_S);
	assert_false(exists(d, "day-20261201T134500Z.tok.part"));
	tick(d, 3600 * NS_PER_S); /* due; 0 is still running */
	ask(d, 2, str_of("c"));
	answer(d, 2, 0, true, "two");
	answer(d, 0, 0, false, "ze");
	settle(d);
	assert_true(exists(d, "day-20261201T124500Z.tok.part"));
	assert_true(exists(d, "day-20261201T134500Z.tok.part"));
	answer(d, 0, 1, true, "ro");
	settle(d);
	assert_true(exists(d, "day-20261201T124500Z.tok"));
	assert_false(exists(d, "day-20261201T124500Z.tok.part"));
	assert_int_equal(stop(d, &e), 0);

	load(d, "day-20261201T124500Z.tok", 0, &t);
	assert_int_equal(t.n, 2);
	assert_true(t.segments[0].ended);
	assert_int_equal(t.x[0].req.id, 0);
	assert_int_equal(t.x[0].res.events.n, 2);
	assert_memory_equal(t.x[0].res.events.text.p, "zero", 4);
	assert_int_equal(t.x[1].req.parent, 0);
	trace_data_release(&t);
	load(d, "day-20261201T134500Z.tok", 0, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.x[0].req.id, 2);
	assert_int_equal(t.x[0].req.parent, COUNT_NONE); /* it is in the other file */
	assert_int_equal(t.x[0].req.sent_ns, 3600 * NS_PER_S); /* one epoch for all */
	assert_int_equal(t.segments[0].header.epoch_wall_ns, WALL);
	assert_int_equal(t.segments[0].header.epoch_mono_ns, MONO);
	trace_data_release(&t);
}

static void names_that_are_taken(void **state)
{
	struct desk *d = *state;
	struct err e;
	char path[128];

	d->o.rotate.bytes = 1 << 30;
	snprintf(path, sizeof(path), "%s/day-20261201T124500Z.tok", d->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	start(d);
	recorder_reopen(d->r, MONO, WALL);
	assert_int_equal(stop(d, &e), 0);
	assert_true(exists(d, "day-20261201T124500Z-2.tok"));
	assert_true(exists(d, "day-20261201T124500Z-3.tok"));
}

static void grace_time_over(void **state)
{
	struct desk *d = *state;
	struct recorder_state s;
	struct trace_data t;
	struct err e;

	d->o.rotate.every_ns = 3600 * NS_PER_S;
	start(d);
	ask(d, 0, str_of("a"));
	answer(d, 0, 0, false, "begun");
	tick(d, 3600 * NS_PER_S);
	tick(d, 3600 * NS_PER_S + GRACE);
	answer(d, 0, 1, true, "too late");
	recorder_look(d->r, &s);
	assert_int_equal(s.dropped, 1);
	assert_int_equal(stop(d, &e), -1);
	load(d, "day-20261201T124500Z.tok", 0, &t);
	assert_int_equal(t.n, 1);
	assert_true(t.segments[0].ended);
	assert_int_equal(t.segments[0].end.dropped, 1);
	assert_int_equal(t.x[0].res.status, ST_TRUNCATED);
	assert_true(str_is(t.x[0].res.error_kind, "not_recorded"));
	assert_int_equal(t.x[0].res.events.n, 1);
	trace_data_release(&t);
}

static void fixed_name_moved_away_or_not(void **state)
{
	struct desk *d = *state;
	char moved[96];
	struct err e;

	snprintf(moved, sizeof(moved), "%s.1", d->path);
	start(d);
	assert_int_equal(rename(d->path, moved), 0);
	recorder_reopen(d->r, MONO + NS_PER_S, WALL + NS_PER_S);
	settle(d);
	assert_true(exists(d, "day.tok"));
	recorder_reopen(d->r, MONO + 2 * NS_PER_S, WALL + 2 * NS_PER_S);
	assert_int_equal(stop(d, &e), 0);
	assert_true(exists(d, "day.tok.1"));
	assert_true(exists(d, "day-20261201T124502Z.tok"));

	/* A restart destroys nothing. */
	d->r = recorder_create(&d->o, &e);
	assert_non_null(d->r);
	assert_int_equal(recorder_open(d->r, &e), -1);
	assert_non_null(strstr(e.msg, "exists already"));
	recorder_close(d->r, 0, false, WAIT, &e);
	d->o.force = true;
	start(d);
	assert_int_equal(stop(d, &e), 0);
}

/* ---- a disk that does not move: a pipe that nobody reads ---- */

struct pump {
	int in, out;
};

static void *pump(void *arg)
{
	struct pump *p = arg;
	char buf[65536];
	ssize_t n;

	while ((n = read(p->in, buf, sizeof(buf))) > 0)
		if (write(p->out, buf, (size_t)n) != n)
			break;
	return NULL;
}

static void noise(struct rng *g, char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)('!' + rng_below(g, 90));
}

static void queue_full(void **state)
{
	struct desk *d = *state;
	static char body[BIG];
	struct recorder_state s;
	struct trace_data t;
	struct pump p;
	struct rng g;
	pthread_t thread;
	size_t whole = 0, marked = 0;
	char got[64];
	struct err e;

	rng_init(&g, 1, "noise", 0);
	assert_int_equal(mkfifo(d->path, 0600), 0);
	p.in = open(d->path, O_RDONLY | O_NONBLOCK);
	snprintf(got, sizeof(got), "%s/got.tok", d->dir);
	p.out = open(got, O_CREAT | O_WRONLY, 0600);
	start(d);
	for (int64_t id = 0; id < 100; id++) {
		noise(&g, body, sizeof(body));
		ask(d, id, (struct str){ body, sizeof(body) });
		answer(d, id, 0, false, "begun");
		answer(d, id, 1, true, "done");
	}
	recorder_look(d->r, &s);
	assert_true(s.dropped > 0);
	assert_true(s.queue_bytes <= d->o.queue_bytes + (64 << 10)); /* marks are small */
	fcntl(p.in, F_SETFL, 0);
	assert_int_equal(pthread_create(&thread, NULL, pump, &p), 0);
	settle(d);
	ask(d, 100, str_of("and on"));
	answer(d, 100, 0, true, "after");
	assert_int_equal(stop(d, &e), -1);
	assert_non_null(strstr(e.msg, "dropped"));
	pthread_join(thread, NULL);
	close(p.in);
	close(p.out);

	load(d, "got.tok", 0, &t);
	assert_true(t.segments[0].ended);
	assert_int_equal(t.segments[0].end.dropped, s.dropped);
	for (size_t i = 0; i < t.n; i++) {
		const struct rec_response *r = &t.x[i].res;

		assert_true(r->last);
		if (r->status == ST_OK) {
			assert_int_equal(r->events.n, t.x[i].req.id == 100 ? 1 : 2);
			whole++;
		} else {
			assert_true(str_is(r->error_kind, "not_recorded"));
			assert_false(r->done_marker);
			assert_true(r->events.n < 2);
			marked++;
		}
	}
	assert_true(whole >= 2 && t.n < 101);
	assert_int_equal(t.x[t.n - 1].req.id, 100);
	trace_data_release(&t);
}

/* ---- a disk that is full: the file size limit ---- */

static void limit_files(rlim_t bytes)
{
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static void disk_full_and_back(void **state)
{
	struct desk *d = *state;
	static char body[BIG];
	struct recorder_state s;
	struct trace_data t;
	struct rng g;
	struct err e;

	rng_init(&g, 1, "noise", 0);
	signal(SIGXFSZ, SIG_IGN);
	start(d);
	ask(d, 0, str_of("before"));
	answer(d, 0, 0, true, "kept");
	usleep(600000); /* it is flushed */
	limit_files(1 << 16);
	for (int64_t id = 1; id < 9; id++) {
		noise(&g, body, sizeof(body));
		ask(d, id, (struct str){ body, sizeof(body) });
		answer(d, id, 0, true, "x");
	}
	do {
		usleep(2000);
	} while (!recorder_news(d->r, &e));
	assert_non_null(strstr(e.msg, "day.tok"));
	assert_non_null(strstr(e.msg, "File too large"));
	assert_false(recorder_news(d->r, &e));
	ask(d, 9, str_of("lost"));
	answer(d, 9, 0, true, "lost");
	settle(d);
	recorder_look(d->r, &s);
	assert_true(s.failed && s.dropped >= 2);
	limit_files(RLIM_INFINITY);
	recorder_reopen(d->r, MONO + 7 * NS_PER_S, WALL + 7 * NS_PER_S);
	ask(d, 10, str_of("again"));
	answer(d, 10, 0, true, "kept");
	settle(d);
	recorder_look(d->r, &s);
	assert_false(s.failed);
	assert_int_equal(stop(d, &e), -1);

	load(d, "day.tok", 1, &t);
	assert_true(t.n >= 1);
	assert_int_equal(t.x[0].res.status, ST_OK);
	trace_data_release(&t);
	load(d, "day-20261201T124507Z.tok", 0, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.x[0].req.id, 10);
	assert_true(kvs_get(t.segments[0].header.run, "dropped_before").n > 0);
	trace_data_release(&t);
}

/* Without anybody at the keyboard: the next rotation tries again, and again. */
static void full_until_a_rotation(void **state)
{
	struct desk *d = *state;
	struct recorder_state s;
	struct trace_data t;
	struct err e;

	signal(SIGXFSZ, SIG_IGN);
	d->o.rotate.every_ns = 3600 * NS_PER_S;
	start(d);
	ask(d, 0, str_of("before"));
	settle(d);
	limit_files(0);
	answer(d, 0, 0, true, "lost");
	do {
		usleep(2000);
	} while (!recorder_news(d->r, &e));
	tick(d, 3600 * NS_PER_S); /* still full: not even a header */
	do {
		usleep(2000);
	} while (!recorder_news(d->r, &e));
	ask(d, 1, str_of("lost"));
	answer(d, 1, 0, true, "lost");
	limit_files(RLIM_INFINITY);
	tick(d, 2 * 3600 * NS_PER_S);
	ask(d, 2, str_of("again"));
	answer(d, 2, 0, true, "kept");
	settle(d);
	recorder_look(d->r, &s);
	assert_false(s.failed);
	assert_int_equal(s.failures, 2);
	assert_int_equal(stop(d, &e), -1);
	load(d, "day-20261201T144500Z.tok", 0, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.x[0].res.status, ST_OK);
	assert_int_equal(t.segments[0].end.dropped, 0);
	trace_data_release(&t);
	assert_true(exists(d, "day-20261201T124500Z.tok.part"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(exchange_stays_with_its_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_that_are_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(grace_time_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fixed_name_moved_away_or_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(queue_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(disk_full_and_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_until_a_rotation, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
