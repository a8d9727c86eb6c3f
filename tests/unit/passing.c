/* What passes through the proxy and where to: headers, heads, upstreams, capacity. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/base/clock.h"
#include "record/capacity.h"
#include "record/engines.h"
#include "record/head.h"
#include "record/headers.h"

/* RFC 9110, 7.6.1, and RFC 9112: what belongs to one connection. */
static void hop_by_hop(void **state)
{
	static const char *const hop[] = {
		"Connection", "keep-alive", "TE", "Trailer", "Transfer-Encoding", "UPGRADE",
		"Proxy-Authorization", "Proxy-Authenticate", "Proxy-Connection", "X-Hop", "x-two",
	}, *const pass[] = {
		"Accept", "X-Ho", "X-Hop2", "Authorization", "Content-Length", "Via", "TE-X", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hop) / sizeof(*hop); i++)
		assert_true(header_is_hop(hop[i], "close,x-hop ,\tX-TWO,"));
	for (size_t i = 0; i < sizeof(pass) / sizeof(*pass); i++)
		assert_false(header_is_hop(pass[i], "close,x-hop ,\tX-TWO,"));
	assert_false(header_is_hop("X-Hop", NULL));
	assert_false(header_is_hop("X-Hop", ""));
}

static void lists(void **state)
{
	struct buf all;

	(void)state;
	assert_true(header_lists("WebSocket", "websocket"));
	assert_true(header_lists("h2c, websocket", "websocket"));
	assert_false(header_lists("websockets", "websocket"));
	assert_false(header_lists(NULL, "websocket"));
	buf_init(&all, 1000);
	header_connection(&all, "Connection", "a");
	header_connection(&all, "X-Connection", "b");
	header_connection(&all, "CONNECTION", "c, d");
	assert_true(header_lists(buf_cstr(&all), "a") && header_lists(buf_cstr(&all), "d"));
	assert_false(header_lists(buf_cstr(&all), "b"));
	buf_release(&all);
}

static void recorded_headers(void **state)
{
	struct arena a = { 0 };
	struct kv kv = header_recorded(&a, "X-Api-Key", "sk-TEST-1");

	(void)state;
	assert_true(str_is(kv.key, "X-Api-Key") && str_is(kv.value, "<redacted>"));
	kv = header_recorded(&a, "Accept", "");
	assert_true(str_is(kv.key, "Accept") && str_is(kv.value, ""));
	arena_release(&a);
}

static void add_lines(struct head *h, const char *const *lines)
{
	for (; *lines; lines++)
		assert_int_equal(head_line(h, *lines, strlen(*lines)), 0);
}

static void heads(void **state)
{
	static const char *const early[] = { "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", NULL },
		*const real[] = { "HTTP/1.1 299 Quite  Odd\r\n", "A: 1\r\n", "Empty:\r\n", "content-TYPE: \t text/x\n", NULL };
	struct head h;

	(void)state;
	head_init(&h);
	add_lines(&h, early);
	add_lines(&h, real);
	assert_int_equal(head_finish(&h), 0);
	assert_true(h.done);
	assert_int_equal(h.n, 3);
	assert_string_equal(head_reason(&h), "Quite  Odd");
	assert_string_equal(h.lines[0], "A: 1");
	assert_string_equal(head_value(h.lines, h.n, "Content-Type"), "text/x");
	assert_string_equal(head_value(h.lines, h.n, "empty"), "");
	assert_null(head_value(h.lines, h.n, "Content"));
	head_release(&h);
	head_init(&h);
	assert_int_equal(head_line(&h, "HTTP/1.1 404", 12), 0);
	assert_int_equal(head_finish(&h), 0);
	assert_string_equal(head_reason(&h), "");
	assert_int_equal(h.n, 0);
	head_release(&h);
}

static void a_head_has_a_ceiling(void **state)
{
	struct head h;
	char line[1000];
	size_t n = 0;

	(void)state;
	memset(line, 'x', sizeof(line));
	head_init(&h);
	while (head_line(&h, line, sizeof(line)) == 0)
		n += sizeof(line);
	assert_in_range(n, HEAD_MAX - 2 * sizeof(line), HEAD_MAX);
	head_release(&h);
}

static void upstream_forms(void **state)
{
	static const struct {
		const char *arg, *url, *prefix, *base, *socket;
	} good[] = {
		{ "http://h:80", "http://h:80", "", "", NULL },
		{ "HTTPS://h/", "HTTPS://h", "", "", NULL },
		{ "http://h/v1/x//", "http://h", "", "/v1/x", NULL },
		{ "/a/=http://h/b", "http://h", "/a", "/b", NULL },
		{ "/=http://h", "http://h", "", "", NULL },
		{ "unix:/run/e.sock", "http://localhost", "", "", "/run/e.sock" },
		{ "/a=unix:/run/e.sock:/v1/", "http://localhost", "/a", "/v1", "/run/e.sock" },
	};
	static const char *const bad[] = {
		"", "h", "h:80", "ftp://h", "http://", "http:///x", "http://h?x", "http://h/a#b", "/a", "/a=", "/a=h",
		"unix:", "unix:/", "unix:e.sock", "unix::/a",
	};
	struct engines e = { 0 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(engines_add(&e, good[i].arg, &err), 0);
		assert_string_equal(e.v[i].url, good[i].url);
		assert_true(str_is(e.v[i].prefix, good[i].prefix));
		assert_true(str_is(e.v[i].base, good[i].base));
		assert_string_equal(e.v[i].unix_socket ? e.v[i].unix_socket : "-", good[i].socket ? good[i].socket : "-");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(engines_add(&e, bad[i], &err), -1);
	assert_int_equal(e.n, sizeof(good) / sizeof(*good));
	engines_release(&e);
}

static const struct engine *asked(struct engines *e, const char *target, const char *want, struct arena *a)
{
	const char *path = engines_path(target);
	const struct engine *x = engines_choose(e, path);

	assert_non_null(x);
	assert_string_equal(engine_target(x, engine_path(x, path, a), a), want);
	return x;
}

static void upstream_choice(void **state)
{
	struct engines e = { 0 };
	struct arena a = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(engines_add(&e, "/a=http://a", &err), 0);
	assert_null(engines_choose(&e, "/b"));
	assert_null(engines_choose(&e, "/ab"));
	assert_null(engines_choose(&e, "*"));
	assert_int_equal(engines_add(&e, "/a/b=http://b/base", &err), 0);
	assert_int_equal(engines_add(&e, "http://c", &err), 0);
	assert_int_equal(engines_add(&e, "http://d/x", &err), 0);
	assert_ptr_equal(asked(&e, "/a", "/", &a), &e.v[0]);
	assert_ptr_equal(asked(&e, "/a?q", "/?q", &a), &e.v[0]);
	assert_ptr_equal(asked(&e, "/a//b", "//b", &a), &e.v[0]);
	assert_ptr_equal(asked(&e, "/a/b/c?d=/a", "/base/c?d=/a", &a), &e.v[1]);
	assert_ptr_equal(asked(&e, "http://host/a/c", "/c", &a), &e.v[0]);
	/* In turn, and other upstreams' requests do not count. */
	assert_ptr_equal(asked(&e, "/ab", "/ab", &a), &e.v[2]);
	assert_ptr_equal(asked(&e, "/a/c", "/c", &a), &e.v[0]);
	assert_ptr_equal(asked(&e, "/ab", "/x/ab", &a), &e.v[3]);
	assert_ptr_equal(asked(&e, "*", "*", &a), &e.v[2]);
	assert_ptr_equal(asked(&e, "http://host", "/x/", &a), &e.v[3]);
	assert_ptr_equal(asked(&e, "http://host?q=http://z", "/?q=http://z", &a), &e.v[2]);
	arena_release(&a);
	engines_release(&e);
}

static void upstreams_shown(void **state)
{
	struct engines e = { 0 };
	struct buf line;
	struct err err;

	(void)state;
	buf_init(&line, 1000);
	assert_int_equal(engines_add(&e, "http://u:secret@h", &err), 0);
	assert_int_equal(engines_add(&e, "/p=unix:/s:/b", &err), 0);
	engines_show(&e, &line);
	assert_null(strstr(buf_cstr(&line), "secret"));
	assert_non_null(strstr(buf_cstr(&line), "h, /p=unix:/s:/b"));
	buf_release(&line);
	engines_release(&e);
}

static void capacities(void **state)
{
	struct err e;
	bool low;

	(void)state;
	assert_int_equal(capacity_streams(65536, 2000, &low, &e), 2000);
	assert_false(low);
	assert_int_equal(capacity_streams(1024, 2000, &low, &e), -1);
	assert_non_null(strstr(e.msg, "4040"));
	assert_non_null(strstr(e.msg, "1024"));
	assert_int_equal(capacity_streams(4040, 2000, &low, &e), 2000);
	assert_int_equal(capacity_streams(4039, 2000, &low, &e), -1);
	assert_int_equal(capacity_streams(240, COUNT_NONE, &low, &e), 100);
	assert_true(low);
	assert_int_equal(capacity_streams(20000, COUNT_NONE, &low, &e), 9980);
	assert_false(low);
	assert_int_equal(capacity_streams(40, COUNT_NONE, &low, &e), -1);
	assert_int_equal(capacity_streams(10, COUNT_NONE, &low, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hop_by_hop),
		cmocka_unit_test(lists),
		cmocka_unit_test(recorded_headers),
		cmocka_unit_test(heads),
		cmocka_unit_test(a_head_has_a_ceiling),
		cmocka_unit_test(upstream_forms),
		cmocka_unit_test(upstream_choice),
		cmocka_unit_test(upstreams_shown),
		cmocka_unit_test(capacities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
