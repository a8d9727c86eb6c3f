/* target, probe, tally, progress: where a run goes, what the engine says, what is counted. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "replay/probe.h"
#include "replay/progress.h"
#include "replay/tally.h"
#include "replay/target.h"

static void urls_are_joined(void **state)
{
	static const struct {
		const char *base, *endpoint, *url;
	} cases[] = {
		{ "http://h:8000", "/v1/chat/completions", "http://h:8000/v1/chat/completions" },
		{ "http://h:8000/", "/v1/chat/completions", "http://h:8000/v1/chat/completions" },
		{ "http://h:8000/v1", "/v1/completions", "http://h:8000/v1/completions" },
		{ "http://h:8000/v1//", "/v1/completions", "http://h:8000/v1/completions" },
		{ "h:8000", "/v1/completions", "http://h:8000/v1/completions" },
		{ "https://h/api/v4", "/v1/chat/completions", "https://h/api/v4/chat/completions" },
		{ "https://h/v1beta", "/v1/chat/completions", "https://h/v1beta/v1/chat/completions" },
		{ "http://h/proxy", "/v1/models", "http://h/proxy/v1/models" },
		{ "http://h", "/v1/completions?a=1", "http://h/v1/completions?a=1" },
		{ "http://h", "/v1/completions?key=<redacted>", "http://h/v1/completions" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct target t;
		struct buf url;
		struct err e;

		buf_init(&url, 1000);
		assert_int_equal(target_init(&t, cases[i].base, NULL, 0, NULL, &e), 0);
		assert_int_equal(target_url(&t, str_of(cases[i].endpoint), &url), 0);
		assert_string_equal(url.p, cases[i].url);
		buf_release(&url);
		target_release(&t);
	}
}

static void a_unix_socket(void **state)
{
	struct target t;
	struct buf url;
	struct err e;

	(void)state;
	buf_init(&url, 1000);
	assert_int_equal(target_init(&t, "unix:/run/engine.sock", NULL, 0, NULL, &e), 0);
	assert_string_equal(t.unix_socket, "/run/engine.sock");
	assert_string_equal(t.shown, "unix:/run/engine.sock");
	assert_int_equal(target_url(&t, str_of("/v1/completions"), &url), 0);
	assert_string_equal(url.p, "http://localhost/v1/completions");
	buf_release(&url);
	target_release(&t);
	assert_int_equal(target_init(&t, "unix:engine.sock", NULL, 0, NULL, &e), -1);
}

static void bad_urls_and_headers_are_refused(void **state)
{
	static const char *const urls[] = { "", "ftp://h", "http://h?x=1", "http://h/a b", "://h" };
	static const char *const headers[] = { "nonsense", ": x", "", "A: b\r\nC: d", "A B: c" };
	struct target t;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++)
		assert_int_equal(target_init(&t, urls[i], NULL, 0, NULL, &e), -1);
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		assert_int_equal(target_init(&t, "http://h", &headers[i], 1, NULL, &e), -1);
	assert_int_equal(target_init(&t, "http://h", NULL, 0, "sk-1\nX: y", &e), -1);
	assert_null(strstr(e.msg, "sk-1"));
}

static void secrets_are_sent_but_not_kept(void **state)
{
	static const char *const extra[] = { "X-Api-Key=sk-2", "X-Run: night 7" };
	struct target t;
	struct err e;

	(void)state;
	assert_int_equal(target_init(&t, "http://me:sk-3@h/v1", extra, 2, "sk-1", &e), 0);
	assert_string_equal(t.headers[0], "X-Api-Key: sk-2");
	assert_string_equal(t.headers[1], "X-Run: night 7");
	assert_string_equal(t.headers[2], "Content-Type: application/json");
	assert_string_equal(t.headers[3], "Authorization: Bearer sk-1");
	assert_null(t.headers[4]);
	assert_true(str_is(t.public[0].key, "X-Api-Key"));
	assert_true(str_is(t.public[0].value, "<redacted>"));
	assert_true(str_is(t.public[1].value, "night 7"));
	assert_true(str_is(t.public[3].value, "<redacted>"));
	assert_null(strstr(t.shown, "sk-3"));
	target_release(&t);
}

static void an_own_authorization_wins_over_the_key(void **state)
{
	static const char *const extra[] = { "authorization: Basic eA==" };
	struct target t;
	struct err e;

	(void)state;
	assert_int_equal(target_init(&t, "http://h", extra, 1, "sk-1", &e), 0);
	assert_int_equal(t.n_headers, 2);
	assert_true(str_is(t.public[0].value, "<redacted>"));
	target_release(&t);
}

static void engines_say_their_names(void **state)
{
	struct probe p = { "", "", "" };

	(void)state;
	probe_read_models(str_of("{\"object\":\"list\",\"data\":[{\"id\":\"m/1\",\"owned_by\":\"vllm\"},"
				 "{\"id\":\"m/2\"}]}"), &p);
	probe_read_version(str_of("{\"version\":\"0.6.3\"}"), &p);
	assert_string_equal(p.model, "m/1");
	assert_string_equal(p.engine, "vllm");
	assert_string_equal(p.version, "0.6.3");

	p = (struct probe){ "", "", "" };
	probe_read_models(str_of("<html>"), &p);
	probe_read_models(str_of("{\"data\":[]}"), &p);
	probe_read_models(str_of("{\"data\":[{\"id\":7}]}"), &p);
	probe_read_version(str_of("[]"), &p);
	assert_string_equal(p.model, "");
	assert_string_equal(p.version, "");
}

static void add(struct tally *t, enum status status, const char *kind, int64_t tokens)
{
	struct record r;
	int64_t events = 0;

	record_init(&r, REC_RESPONSE);
	events_init(&r.u.response.events, false, 0);
	r.u.response.last = true;
	r.u.response.status = status;
	r.u.response.error_kind = str_of(kind);
	r.u.response.usage.completion = tokens;
	for (int i = 0; i < 3; i++)
		assert_int_equal(events_add(&r.u.response.events, &(struct event){
			.cls = i ? EV_CONTENT : EV_ROLE, .cum_tokens = COUNT_NONE }), 0);
	tally_add(t, &r.u.response, &events);
	events_release(&r.u.response.events);
}

static void failures_are_counted_by_kind(void **state)
{
	const struct progress_level counted = { 8, INT64_MAX };
	const struct progress_level timed = { COUNT_NONE, 12 * NS_PER_S };
	struct tally t = { .planned = 8 };
	char text[100];

	(void)state;
	add(&t, ST_OK, NULL, 5);
	add(&t, ST_OK, NULL, COUNT_NONE); /* not said: its two token events count */
	add(&t, ST_ERROR, "http_503", COUNT_NONE);
	add(&t, ST_ERROR, "connect", 0);
	add(&t, ST_ERROR, "http_503", 0);
	add(&t, ST_TIMEOUT, NULL, 0);
	assert_int_equal(t.done, 6);
	assert_int_equal(t.ok, 2);
	assert_int_equal(t.token_events, 12);
	assert_int_equal(t.output_tokens, 9);
	tally_failures(&t, text, sizeof(text));
	assert_string_equal(text, "2 http_503, 1 connect, 1 timeout");
	progress_text(&t, &counted, 345.4, 3000000000, text, sizeof(text));
	assert_string_equal(text, "6/8  c=8  ok 2  failed 4  345 tok/s  ETA 1 s");
	progress_text(&t, &timed, 345.4, 3000000000, text, sizeof(text));
	assert_string_equal(text, "6  ok 2  failed 4  345 tok/s  12 s left");
}

static void many_kinds_end_in_other(void **state)
{
	struct tally t = { .planned = 100 };
	char kind[16], text[4];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(kind, sizeof(kind), "kind_%d", i);
		add(&t, ST_ERROR, kind, 0);
	}
	assert_int_equal(t.n_kinds, TALLY_KINDS);
	assert_string_equal(t.kinds[TALLY_KINDS - 1].kind, "other");
	assert_int_equal(t.kinds[TALLY_KINDS - 1].n, 40 - TALLY_KINDS + 1);
	tally_failures(&t, text, sizeof(text));
	assert_int_equal(strlen(text), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_are_joined),
		cmocka_unit_test(a_unix_socket),
		cmocka_unit_test(bad_urls_and_headers_are_refused),
		cmocka_unit_test(secrets_are_sent_but_not_kept),
		cmocka_unit_test(an_own_authorization_wins_over_the_key),
		cmocka_unit_test(engines_say_their_names),
		cmocka_unit_test(failures_are_counted_by_kind),
		cmocka_unit_test(many_kinds_end_in_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
