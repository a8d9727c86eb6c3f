/* base: buffers, units, random streams, digests, percentiles (case D13). */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "formats/base/buf.h"
#include "formats/base/digest.h"
#include "formats/base/opt.h"
#include "formats/base/portable.h"
#include "formats/base/quantile.h"
#include "formats/base/rng.h"
#include "formats/base/unit.h"

static void buf_keeps_its_ceiling(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_int_equal(buf_adds(&b, "12345"), 0);
	assert_int_equal(buf_adds(&b, "678901"), -1);
	assert_int_equal(b.n, 5);
	assert_int_equal(buf_adds(&b, "67890"), 0);
	buf_shrink(&b);
	assert_int_equal(b.cap, 10);
	assert_memory_equal(b.p, "1234567890", 10);
	assert_int_equal(b.n, 10);
	buf_consume(&b, 7);
	assert_string_equal(buf_cstr(&b), "890");
	buf_release(&b);
}

static void units_are_parsed(void **state)
{
	int64_t v;

	(void)state;
	assert_int_equal(unit_parse_count("8k", &v), 0);
	assert_int_equal(v, 8192);
	assert_int_equal(unit_parse_count("1.5k", &v), 0);
	assert_int_equal(v, 1536);
	assert_int_equal(unit_parse_count("1.5", &v), -1);
	assert_int_equal(unit_parse_count("-1", &v), -1);
	assert_int_equal(unit_parse_count("", &v), -1);
	assert_int_equal(unit_parse_count("0x10", &v), -1);
	assert_int_equal(unit_parse_count("nan", &v), -1);
	assert_int_equal(unit_parse_ns("1.5ms", &v), 0);
	assert_int_equal(v, 1500000);
	assert_int_equal(unit_parse_ns("2", &v), 0);
	assert_int_equal(v, 2000000000);
	assert_int_equal(unit_parse_ns("1h", &v), 0);
	assert_int_equal(v, INT64_C(3600000000000));
	assert_int_equal(unit_parse_ns("5parsec", &v), -1);
}

static void random_streams_are_apart_and_stable(void **state)
{
	struct rng a, b, c;
	double sum = 0;

	(void)state;
	rng_init(&a, 1, "gaps", 0);
	rng_init(&b, 1, "gaps", 0);
	rng_init(&c, 1, "text", 0);
	assert_true(rng_u64(&a) == rng_u64(&b));
	assert_true(rng_u64(&a) != rng_u64(&c));
	for (int i = 0; i < 100000; i++) {
		assert_true(rng_below(&a, 7) < 7);
		sum += rng_unit(&b);
	}
	assert_true(fabs(sum / 100000 - 0.5) < 0.01);
}

static void digest_is_sha256(void **state)
{
	char hex[DIGEST_HEX + 1];

	(void)state;
	digest_bytes("abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-9)
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Case D13, both rules. */
static void percentiles(void **state)
{
	double ten[] = { 70, 10, 40, 100, 20, 90, 30, 60, 50, 80 }, three[] = { 30, 10, 20 };
	double hundred[100], one[] = { 42 };

	(void)state;
	quantile_sort(ten, 10);
	near(quantile_linear(ten, 10, 50), 55);
	near(quantile_nearest(ten, 10, 50), 50);
	near(quantile_linear(ten, 10, 90), 91);
	near(quantile_nearest(ten, 10, 90), 90);
	near(quantile_linear(ten, 10, 99), 99.1);
	near(quantile_nearest(ten, 10, 99), 100);
	for (int i = 0; i < 100; i++)
		hundred[i] = (i * 37) % 100 + 1;
	quantile_sort(hundred, 100);
	near(quantile_linear(hundred, 100, 50), 50.5);
	near(quantile_linear(hundred, 100, 90), 90.1);
	near(quantile_linear(hundred, 100, 99), 99.01);
	near(quantile_nearest(hundred, 100, 99), 99);
	near(quantile_nearest(hundred, 100, 7), 7);
	quantile_sort(three, 3);
	near(quantile_linear(three, 3, 90), 28);
	near(quantile_nearest(three, 3, 90), 30);
	near(quantile_linear(three, 3, 99), 29.8);
	near(quantile_linear(one, 1, 99), 42);
	assert_true(isnan(quantile_linear(NULL, 0, 50)));
	assert_true(isnan(quantile_nearest(NULL, 0, 50)));
}

static void nearest_spelling(void **state)
{
	const char *names[] = { "max-tokens", "model", "timing", NULL };

	(void)state;
	assert_string_equal(opt_nearest("modle", names), "model");
	assert_string_equal(opt_nearest("max-token", names), "max-tokens");
	assert_null(opt_nearest("zzzzzz", names));
}

static double ulps(double got, double want)
{
	return fabs(got - want) / (nextafter(fabs(want), HUGE_VAL) - fabs(want));
}

/* Against the C library, which is right to within one unit in the last place. */
static void portable_functions_are_right(void **state)
{
	struct rng r;

	(void)state;
	assert_true(portable_log(1) == 0);
	assert_true(portable_exp(0) == 1);
	rng_init(&r, 1, "portable", 0);
	for (int i = 0; i < 20000; i++) {
		double u = 1 - rng_unit(&r), x = (rng_unit(&r) - 0.5) * 1400;

		assert_true(ulps(portable_log(u), log(u)) <= 3);
		assert_true(ulps(portable_log(u * 1e300), log(u * 1e300)) <= 3);
		if (fabs(x) < 690)
			assert_true(fabs(portable_exp(x) / exp(x) - 1) < 4e-16 * (4 + fabs(x)));
	}
	assert_true(portable_exp(-1e6) == 0);
	assert_true(isfinite(portable_exp(1e6)));
}

/*
 * To the last bit, so that one seed is one plan on any machine.  The numbers come from
 * tests/data/variates.py, which does the same steps in Python.
 */
static void variates_are_the_same_everywhere(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 42, "arrivals", 0);
	assert_true(rng_exponential(&r) == 0x1.517ffc5750126p+0);
	assert_true(rng_exponential(&r) == 0x1.f9eb604347532p-5);
	rng_init(&r, 42, "arrivals", 1);
	assert_true(rng_gamma(&r, 0.5) == 0x1.77a5bc5109e8cp+1);
	assert_true(rng_gamma(&r, 4) == 0x1.f720acb39d0cep+1);
	assert_true(rng_normal(&r) == 0x1.056dea22e95a3p+1);
}

/* RFC 4231, test case 2, twice: the key stays ready. */
static void keyed_digest(void **state)
{
	static const unsigned char want[DIGEST_BYTES] = {
		0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
		0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43,
	};
	struct str parts[] = { str_of("what do ya want "), { NULL, 0 }, str_of("for nothing?") };
	struct mac *m = mac_create(str_of("Jefe"));
	unsigned char got[DIGEST_BYTES];

	(void)state;
	assert_non_null(m);
	for (int i = 0; i < 2; i++) {
		mac_parts(m, parts, 3, got);
		assert_memory_equal(got, want, sizeof(want));
	}
	assert_true(mac_id(m, parts, 3) == UINT64_C(0x5bdcc146bf60754e));
	mac_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyed_digest),
		cmocka_unit_test(buf_keeps_its_ceiling),
		cmocka_unit_test(units_are_parsed),
		cmocka_unit_test(random_streams_are_apart_and_stable),
		cmocka_unit_test(portable_functions_are_right),
		cmocka_unit_test(variates_are_the_same_everywhere),
		cmocka_unit_test(digest_is_sha256),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(nearest_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
