/* Counters, the sliding minute, the live view and the metrics, against numbers by hand. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/metrics.h"
#include "record/rotate.h"
#include "record/watch.h"

static void rotation(void **state)
{
	const struct rotate none = { 0, 0 }, hourly = { 3600 * NS_PER_S, 0 }, sized = { 0, 1000 };
	struct buf name;

	(void)state;
	assert_false(rotate_wanted(&none));
	assert_false(rotate_due(&none, INT64_MAX, INT64_MAX, 1));
	assert_false(rotate_due(&hourly, 3600 * NS_PER_S - 1, 0, 1));
	assert_true(rotate_due(&hourly, 3600 * NS_PER_S, 0, 1));
	assert_false(rotate_due(&hourly, 3600 * NS_PER_S, 0, 0)); /* nothing in it */
	assert_false(rotate_due(&sized, INT64_MAX, 999, 1));
	assert_true(rotate_due(&sized, 0, 1000, 1));
	buf_init(&name, 4096);
	rotate_name("a.b/day.tok", INT64_C(951827696) * NS_PER_S, 1, &name);
	assert_string_equal(buf_cstr(&name), "a.b/day-20000229T123456Z.tok");
	buf_clear(&name);
	rotate_name("a.b/day", 0, 12, &name);
	assert_string_equal(buf_cstr(&name), "a.b/day-19700101T000000Z-12");
	buf_clear(&name);
	rotate_name(".tok", 0, 1, &name);
	assert_string_equal(buf_cstr(&name), ".tok-19700101T000000Z");
	buf_release(&name);
}

static void add(struct events *ev, int64_t t_ns, enum event_class cls, unsigned flags, int32_t choice)
{
	const struct event e = {
		.t_ns = t_ns, .cls = cls, .flags = flags, .choice = choice, .cum_tokens = COUNT_NONE,
		.text = str_of("x"), .text_len = 1,
	};

	assert_int_equal(events_add(ev, &e), 0);
}

/* One exchange: sent, first token after ttft, last one after e2e. */
static void one(struct stats *s, int64_t sent_ns, int64_t ttft_ns, int64_t e2e_ns, enum status status)
{
	struct stats_exchange x;
	struct events ev;
	struct record r;

	record_init(&r, REC_RESPONSE);
	events_init(&ev, true, 1 << 10);
	stats_begin(s, &x, "chat", true, sent_ns, 100);
	add(&ev, sent_ns, EV_ROLE, 0, 0);
	add(&ev, sent_ns + ttft_ns, EV_CONTENT, 0, 0);
	stats_events(s, &x, &ev);
	events_clear(&ev);
	add(&ev, sent_ns + e2e_ns, EV_CONTENT, 0, 0);
	add(&ev, sent_ns + e2e_ns, EV_FINISH, EVF_PART, 0);
	add(&ev, sent_ns + e2e_ns, EV_DONE, 0, 0);
	stats_events(s, &x, &ev);
	r.u.response.status = status;
	r.u.response.http_status = 200;
	r.u.response.end_ns = sent_ns + e2e_ns;
	r.u.response.usage.completion = 2;
	if (status != ST_OK)
		r.u.response.error_kind = str_of("cut");
	stats_end(s, &x, &r.u.response);
	events_release(&ev);
}

static void counters_and_minute(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct stats_ttft t;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	assert_true(isnan(stats_ttft(s, 0).p50_s));
	for (int i = 0; i < 5; i++) /* TTFT 100, 200, ... 500 ms, at second 10 to 14 */
		one(s, (10 + i) * NS_PER_S, (i + 1) * 100 * NS_PER_MS, 700 * NS_PER_MS, i == 4 ? ST_TRUNCATED : ST_OK);
	assert_int_equal(s->in_flight, 0);
	assert_int_equal(s->recorded, 5);
	assert_int_equal(s->token_events, 10);
	assert_int_equal(s->completion_tokens, 10);
	assert_int_equal(s->bytes_received, 500);
	assert_int_equal(s->n_rows, 2);
	assert_int_equal(s->row[0].n, 4);
	assert_int_equal(s->row[1].n, 1);
	assert_string_equal(s->kind[0].name, "cut");
	/* Whole seconds: second 14 is not over at 14.9. */
	assert_int_equal(stats_minute_sum(&s->begun, 14900 * NS_PER_MS, 60), 4);
	assert_int_equal(stats_minute_sum(&s->begun, 15000 * NS_PER_MS, 60), 5);
	assert_int_equal(stats_minute_sum(&s->begun, 15000 * NS_PER_MS, 2), 2);
	assert_int_equal(stats_minute_sum(&s->begun, 71000 * NS_PER_MS, 60), 4);
	assert_int_equal(stats_minute_sum(&s->begun, 75000 * NS_PER_MS, 60), 0);
	/* numpy.percentile([.1,.2,.3,.4,.5], [50, 95]) -> 0.3, 0.48 */
	t = stats_ttft(s, 20 * NS_PER_S);
	assert_int_equal(t.n, 5);
	assert_true(fabs(t.p50_s - 0.3) < 1e-9 && fabs(t.p95_s - 0.48) < 1e-9);
	t = stats_ttft(s, 72 * NS_PER_S); /* the first two (10.1, 11.2) are older than a minute */
	assert_int_equal(t.n, 3);
	assert_true(fabs(t.p50_s - 0.4) < 1e-9);
	/* The truncated one is in no histogram: 0.1 | 0.2 | 0.3, 0.4. */
	assert_int_equal(s->ttft.n, 4);
	assert_int_equal(s->ttft.bucket[3], 1); /* up to 0.1, inclusive */
	assert_int_equal(s->ttft.bucket[4], 1);
	assert_int_equal(s->ttft.bucket[5], 2);
	assert_true(fabs(s->ttft.sum_s - 1.0) < 1e-9 && fabs(s->e2e.sum_s - 2.8) < 1e-9);
	free(s);
}

/* Content and a tool call in one chunk are one token event; two choices are two. */
static void parts_of_one_wire_event(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct stats_exchange x;
	struct events ev;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	events_init(&ev, true, 1 << 10);
	stats_begin(s, &x, "chat", true, 0, 0);
	add(&ev, 1, EV_CONTENT, 0, 0);
	add(&ev, 1, EV_TOOL, EVF_PART, 0);
	add(&ev, 2, EV_CONTENT, 0, 0);
	add(&ev, 2, EV_CONTENT, EVF_PART, 1);
	add(&ev, 3, EV_USAGE, 0, 0);
	add(&ev, 3, EV_REASONING, EVF_COALESCED, 0);
	stats_events(s, &x, &ev);
	assert_int_equal(s->token_events, 4);
	assert_int_equal(x.first_ns, 1);
	assert_int_equal(x.last_ns, 3);
	events_release(&ev);
	free(s);
}

static void too_many_kinds(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct record r;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	record_init(&r, REC_RESPONSE);
	r.u.response.status = ST_ERROR;
	r.u.response.end_ns = 0;
	for (int i = 0; i < 300; i++) {
		struct stats_exchange x;
		char kind[16];

		snprintf(kind, sizeof(kind), "http_%d", 400 + i);
		r.u.response.error_kind = str_of(kind);
		r.u.response.http_status = 400 + i;
		stats_begin(s, &x, "other", false, 0, 0);
		stats_end(s, &x, &r.u.response);
	}
	assert_int_equal(s->n_kinds, STATS_KINDS);
	assert_string_equal(s->kind[STATS_KINDS - 1].name, "other");
	assert_int_equal(s->kind[STATS_KINDS - 1].n, 300 - STATS_KINDS + 1);
	assert_int_equal(s->n_rows, STATS_ROWS);
	assert_int_equal(s->passed, 300);
	free(s);
}

static const struct recorder_state steady = {
	.queue_bytes = 2048, .lag_ns = 1500 * NS_PER_MS, .dropped = 3, .file_bytes = 5 << 20, .bytes = 7 << 20,
	.files_open = 2, .files_finished = 1, .file = "day.tok",
};

static void screen(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct watch_view v = {
		.stats = s, .rec = &steady, .listen = "127.0.0.1:9000", .upstream = "http://127.0.0.1:8000",
		.now_ns = (3600 + 62) * NS_PER_S,
	};
	struct buf out, drawn;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	for (int i = 0; i < 30; i++)
		one(s, (3600 + 30 + i) * NS_PER_S, 250 * NS_PER_MS, 500 * NS_PER_MS, i < 2 ? ST_TRUNCATED : ST_OK);
	s->in_flight = 12;
	buf_init(&out, 1 << 16);
	watch_screen(&v, &out);
	assert_string_equal(buf_cstr(&out),
		"tokrecord  127.0.0.1:9000 -> http://127.0.0.1:8000  1:01:02\n"
		"exchanges  12 in flight   0.5/s   30 recorded   0 passed\n"
		"tokens     1 tok/s   60 in all\n" /* seconds 57 to 61: 3 exchanges of 2 */
		"TTFT       p50 250 ms   p95 250 ms   of 30 in the last minute\n"
		"errors     cut 2\n"
		"file       day.tok  5.0 MiB\n"
		"queue      2.0 KiB, oldest 1.5 s   dropped 3\n");
	buf_init(&drawn, 1 << 16);
	watch_redraw(&out, false, &drawn);
	assert_memory_equal(buf_cstr(&drawn), "\x1b[7A\x1b[2Ktokrecord ", 18);
	buf_clear(&out);
	watch_line(&v, &out);
	assert_string_equal(buf_cstr(&out),
		"1:01:02: 12 in flight, 0.5 req/s, 1 tok/s, TTFT p50 250 ms p95 250 ms, errors: cut 2; "
		"5.0 MiB, dropped 3\n");
	buf_release(&out);
	buf_release(&drawn);
	free(s);
}

/* However long the names and numbers, no line is wider than a terminal. */
static void narrow(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct recorder_state wide = { .dropped = INT64_MAX, .queue_bytes = INT64_MAX, .file_bytes = INT64_MAX, .failed = true };
	struct watch_view v = {
		.stats = s, .rec = &wide, .listen = "[2001:0db8:85a3:0000:0000:8a2e:0370:7334]:65535",
		.upstream = "http://a-very-long-host-name.example.org:65535/with/a/path/behind/it", .now_ns = 0,
	};
	struct buf out;
	size_t lines = 0, width = 0;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	memset(wide.file, 'f', sizeof(wide.file) - 1);
	s->in_flight = s->recorded = s->passed = s->token_events = INT64_MAX;
	s->n_kinds = STATS_KINDS;
	for (int i = 0; i < STATS_KINDS; i++) {
		snprintf(s->kind[i].name, sizeof(s->kind[i].name), "a_long_kind_%d", i);
		for (int k = 0; k < STATS_WINDOW_S; k++)
			s->kind[i].minute.second[k] = -1;
		s->kind[i].minute.second[0] = 0;
		s->kind[i].minute.n[0] = 1000000;
	}
	v.now_ns = NS_PER_S;
	buf_init(&out, 1 << 16);
	watch_screen(&v, &out);
	for (size_t i = 0; i < out.n; i++) {
		width = out.p[i] == '\n' ? 0 : width + 1;
		lines += out.p[i] == '\n';
		assert_true(width <= WATCH_COLUMNS);
	}
	assert_int_equal(lines, WATCH_LINES);
	assert_non_null(strstr(buf_cstr(&out), "NOT RECORDING"));
	assert_non_null(strstr(buf_cstr(&out), "more"));
	buf_release(&out);
	free(s);
}

static void has(struct buf *b, const char *text)
{
	if (!strstr(buf_cstr(b), text))
		fail_msg("no '%s' in\n%s", text, buf_cstr(b));
}

static void metrics(void **state)
{
	struct stats *s = malloc(sizeof(*s));
	struct buf out;

	(void)state;
	assert_non_null(s);
	stats_init(s);
	one(s, 10 * NS_PER_S, 250 * NS_PER_MS, 500 * NS_PER_MS, ST_OK);
	one(s, 10 * NS_PER_S, 250 * NS_PER_MS, 500 * NS_PER_MS, ST_TRUNCATED);
	buf_init(&out, 1 << 16);
	metrics_text(s, &steady, INT64_C(1796129100250) * NS_PER_MS, &out);
	has(&out, "\ntoktrace_record_requests_total{api=\"chat\",status=\"ok\",code=\"200\"} 1\n");
	has(&out, "\ntoktrace_record_requests_total{api=\"chat\",status=\"truncated\",code=\"200\"} 1\n");
	has(&out, "\ntoktrace_record_errors_total{kind=\"cut\"} 1\n");
	has(&out, "\ntoktrace_record_ttft_seconds_bucket{le=\"0.1\"} 0\n");
	has(&out, "\ntoktrace_record_ttft_seconds_bucket{le=\"0.25\"} 1\n");
	has(&out, "\ntoktrace_record_ttft_seconds_bucket{le=\"+Inf\"} 1\n");
	has(&out, "\ntoktrace_record_ttft_seconds_sum 0.25\n");
	has(&out, "\ntoktrace_record_e2e_seconds_sum 0.5\n");
	has(&out, "\ntoktrace_record_token_events_total 4\n");
	has(&out, "\ntoktrace_record_write_lag_seconds 1.5\n");
	has(&out, "\ntoktrace_record_dropped_records_total 3\n");
	has(&out, "\ntoktrace_record_recording 1\n");
	has(&out, "\nprocess_start_time_seconds 1796129100.250\n");
	buf_release(&out);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rotation),
		cmocka_unit_test(counters_and_minute),
		cmocka_unit_test(parts_of_one_wire_event),
		cmocka_unit_test(too_many_kinds),
		cmocka_unit_test(screen),
		cmocka_unit_test(narrow),
		cmocka_unit_test(metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
