/* Gzip bodies in any pieces, damaged and hostile ones; secrets and where they are blotted out. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <zlib.h>

#include "record/gunzip.h"
#include "record/response.h"

static const char text[] = "data: one\n\ndata: two\n\ndata: three\n\n";

struct got {
	struct buf b;
	size_t longest;
};

static void take(void *arg, const char *p, size_t n)
{
	struct got *g = arg;

	buf_add(&g->b, p, n);
	if (n > g->longest)
		g->longest = n;
}

static size_t deflate_into(unsigned char *out, size_t room, const void *p, size_t n, int flush)
{
	z_stream z = { 0 };
	size_t made;

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)(size_t)p;
	z.avail_in = (unsigned)n;
	z.next_out = out;
	z.avail_out = (unsigned)room;
	deflate(&z, flush);
	made = room - z.avail_out;
	deflateEnd(&z);
	return made;
}

/* Feeds in two pieces; returns what the second feed did. */
static int feed(const unsigned char *p, size_t n, size_t at, struct got *g)
{
	struct gunzip *z = gunzip_create();
	int first, rc;

	assert_non_null(z);
	buf_init(&g->b, SIZE_MAX);
	g->longest = 0;
	first = gunzip_feed(z, (const char *)p, at, take, g);
	rc = gunzip_feed(z, (const char *)p + at, n - at, take, g);
	gunzip_free(z);
	return first < 0 ? first : rc;
}

static void at_every_split(void **state)
{
	unsigned char z[400];
	size_t n = deflate_into(z, sizeof(z), text, sizeof(text) - 1, Z_FINISH);
	struct got g;

	(void)state;
	/* Two members are one body (RFC 1952, 2.2). */
	n += deflate_into(z + n, sizeof(z) - n, text, sizeof(text) - 1, Z_FINISH);
	for (size_t at = 0; at <= n; at++) {
		assert_int_equal(feed(z, n, at, &g), 0);
		assert_int_equal(g.b.n, 2 * (sizeof(text) - 1));
		assert_memory_equal(g.b.p, text, sizeof(text) - 1);
		assert_memory_equal(g.b.p + sizeof(text) - 1, text, sizeof(text) - 1);
		buf_release(&g.b);
	}
}

static void what_was_flushed_is_out(void **state)
{
	unsigned char z[400];
	size_t n = deflate_into(z, sizeof(z), text, sizeof(text) - 1, Z_SYNC_FLUSH);
	struct got g;

	(void)state;
	assert_int_equal(feed(z, n, n / 2, &g), 0);
	assert_true(str_is(buf_str(&g.b), text));
	buf_release(&g.b);
}

static void plain_passes(void **state)
{
	static const char *const plain[] = { text, "\x1f", "\x1f" "abc", "x\x1f\x8b", "" };
	struct got g;

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		size_t n = strlen(plain[i]);

		for (size_t at = 0; at <= n; at++) {
			assert_int_equal(feed((const unsigned char *)plain[i], n, at, &g), 0);
			/* A lone first byte of the magic may still become one. */
			assert_true(str_is(buf_str(&g.b), plain[i]) || n == 1);
			buf_release(&g.b);
		}
	}
}

static void truncated_gives_what_came(void **state)
{
	unsigned char z[400];
	size_t n = deflate_into(z, sizeof(z), text, sizeof(text) - 1, Z_FINISH);
	struct got g;

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		assert_int_equal(feed(z, cut, cut / 2, &g), 0);
		assert_true(g.b.n < sizeof(text));
		assert_true(g.b.n == 0 || memcmp(g.b.p, text, g.b.n) == 0);
		buf_release(&g.b);
	}
}

static void damage_is_said_once_and_for_all(void **state)
{
	static const unsigned char garbage[] = "\x1f\x8b" "no gzip at all, whatever it says";
	unsigned char z[400];
	size_t n = deflate_into(z, sizeof(z), text, sizeof(text) - 1, Z_FINISH);
	struct gunzip *g = gunzip_create();
	struct got got;

	(void)state;
	for (size_t at = 0; at < sizeof(garbage); at++) {
		assert_int_equal(feed(garbage, sizeof(garbage), at, &got), -1);
		assert_int_equal(got.b.n, 0);
		buf_release(&got.b);
	}
	z[n - 8] ^= 1; /* the checksum */
	buf_init(&got.b, SIZE_MAX);
	assert_int_equal(gunzip_feed(g, (const char *)z, n, take, &got), -1);
	assert_int_equal(gunzip_feed(g, "more", 4, take, &got), -1);
	gunzip_free(g);
	buf_release(&got.b);
}

/* 65 MiB out of 64 KiB: handed out in small runs, and the recorder's copy has a ceiling. */
static void bomb(void **state)
{
	enum { LARGE = 65 << 20, ROOM = 1 << 18 };
	char *zeros = calloc(1, LARGE);
	unsigned char *z = malloc(ROOM);
	struct response r;
	struct got g;
	size_t n;

	(void)state;
	assert_true(zeros && z);
	memset(zeros, '{', 1);
	n = deflate_into(z, ROOM, zeros, LARGE, Z_FINISH);
	assert_in_range(n, 1, ROOM - 1);
	free(zeros);
	assert_int_equal(feed(z, n, n, &g), 0);
	assert_int_equal(g.b.n, LARGE);
	assert_in_range(g.longest, 1, 1 << 15);
	buf_release(&g.b);
	assert_int_equal(response_init(&r, 1, API_CHAT, false), 0);
	response_head(&r, 200, str_of("application/json"), str_of("gzip"), 1);
	assert_int_equal(response_bytes(&r, (const char *)z, n, 2), -1);
	assert_true(r.json.n <= RESPONSE_JSON_MAX);
	response_release(&r);
	free(z);
}

static void assert_blotted(const struct secrets *s, const char *in, const char *want)
{
	struct buf out;

	buf_init(&out, 1 << 16);
	secrets_blot(s, str_of(in), &out);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
}

static void secrets_of_headers(void **state)
{
	struct secrets s;

	(void)state;
	secrets_init(&s);
	assert_false(secrets_any(&s));
	secrets_add_header(&s, "Accept: text/plain");
	secrets_add_header(&s, "Authorization: Bearer sk-TEST-1");
	secrets_add_header(&s, "x-api-key:sk-TEST-2");
	secrets_add_header(&s, "Cookie: a=cookie-one; b=cookie-two");
	secrets_add_header(&s, "X-Token: abc"); /* too short: it would blot out innocent text */
	secrets_add_header(&s, "no colon");
	assert_true(secrets_any(&s));
	assert_blotted(&s, "wrong key sk-TEST-1, sk-TEST-2 or sk-TEST-3", "wrong key <redacted>, <redacted> or sk-TEST-3");
	assert_blotted(&s, "cookie-one cookie-two", "<redacted> <redacted>");
	assert_blotted(&s, "abc text/plain", "abc text/plain");
	assert_blotted(&s, "", "");
	secrets_release(&s);
}

static void secrets_of_urls(void **state)
{
	struct secrets s;

	(void)state;
	secrets_init(&s);
	secrets_add_url(&s, "http://user:pass-word@host/v1?x=1&api_key=sk-TEST-4&y=innocent");
	secrets_add_url(&s, "/v1/chat?key=sk-TEST-5");
	assert_blotted(&s, "pass-word sk-TEST-4 sk-TEST-5 innocent", "<redacted> <redacted> <redacted> innocent");
	secrets_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_every_split),
		cmocka_unit_test(what_was_flushed_is_out),
		cmocka_unit_test(plain_passes),
		cmocka_unit_test(truncated_gives_what_came),
		cmocka_unit_test(damage_is_said_once_and_for_all),
		cmocka_unit_test(bomb),
		cmocka_unit_test(secrets_of_headers),
		cmocka_unit_test(secrets_of_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
