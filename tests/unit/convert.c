/* convert: numbers and times from files, JSON text, the map of ids. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/idmap.h"
#include "formats/convert/json.h"
#include "formats/convert/number.h"
#include "formats/convert/timestamp.h"

static void tokens_are_whole(void **state)
{
	static const char *const bad[] = { "",	 "-1", "+1", "1.5", "1e3",	 "1.",
					   ".5", "x",  "1 ", "0x1", "1000000001" };
	int64_t v;

	(void)state;
	assert_int_equal(number_tokens(str_of("0"), &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(number_tokens(str_of("118.00"), &v), 0);
	assert_int_equal(v, 118);
	assert_int_equal(number_tokens(str_of("1000000000"), &v), 0);
	assert_int_equal(v, 1000000000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(number_tokens(str_of(bad[i]), &v), -1);
}

static void scaled_numbers_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} ms[] = {
		{ "0", 0 },
		{ "27482", 27482000000 },
		{ "1.5", 1500000 },
		{ "-2.25", -2250000 },
		{ "0.0000004", 0 },
		{ "0.0000005", 1 },
		{ "0.00000149", 1 },
		{ "1e3", 1000000000 },
		{ "1.5E-3", 1500 },
		{ "12e-9", 0 },
		{ "0e400", 0 },
		{ "1e-400", 0 },
		/* Beyond 2^53: a double would be off by some 100 ns. */
		{ "1760000000123.456789", 1760000000123456789 },
		{ "00001", 1000000 },
	};
	static const char *const bad[] = { "",
					   "-",
					   "1e",
					   "1e+",
					   "nan",
					   "inf",
					   "1..2",
					   "4611686018428",
					   "1e13",
					   "1e999999999999",
					   "9999999999999999999999" };
	int64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(ms) / sizeof(*ms); i++) {
		assert_int_equal(number_scaled(str_of(ms[i].text), 6, &v), 0);
		assert_int_equal(v, ms[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(number_scaled(str_of(bad[i]), 6, &v), -1);
}

static void ids_have_64_bits(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(number_u64(str_of("18446744073709551615"), &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(number_u64(str_of("18446744073709551616"), &v), -1);
	assert_int_equal(number_u64(str_of("99999999999999999999"), &v), -1);
	assert_int_equal(number_u64(str_of(""), &v), -1);
	assert_int_equal(number_u64(str_of("-1"), &v), -1);
	assert_int_equal(number_u64(str_of("1.0"), &v), -1);
}

static void times_of_day(void **state)
{
	/* Seconds as "date -u -d TEXT +%s" prints them. */
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "1970-01-01 00:00:00", 0 },
		{ "1969-12-31 23:59:59.5", -500000000 },
		{ "2000-02-29T12:00:00Z", INT64_C(951825600) * NS_PER_S },
		{ "2100-03-01 00:00:00", INT64_C(4107542400) * NS_PER_S },
		{ "2023-11-16 18:17:03.9799600", INT64_C(1700158623979960000) },
		{ "2024-05-10 00:00:00.009930+00:00", INT64_C(1715299200009930000) },
		{ "2024-05-10 02:00:00+0200", INT64_C(1715299200) * NS_PER_S },
		{ "2024-05-09 20:30:00 -03:30", INT64_C(1715299200) * NS_PER_S },
		{ "2024-05-10 00:00:00.1234567890000", INT64_C(1715299200123456789) },
	};
	static const char *const bad[] = { "",
					   "2024",
					   "2024-05-10",
					   "2023-02-29 00:00:00",
					   "2100-02-29 00:00:00",
					   "2024-00-10 00:00:00",
					   "2024-05-10 00:00",
					   "2024-05-10 00:00:00.",
					   "2024-05-10 00:00:00x",
					   "2024-05-10 00:00:00+",
					   "2024-05-10 00:00:00+1",
					   "2024-05-10 00:00:00.1234567891",
					   "9999-01-01 00:00:00" };
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(timestamp_parse(str_of(good[i].text), &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(timestamp_parse(str_of(bad[i]), &ns), -1);
}

static void a_line_of_json(void **state)
{
	struct buf b;
	struct json j = { .out = &b };

	(void)state;
	buf_init(&b, 4096);
	json_open(&j, NULL, '{');
	json_count(&j, "a", 1);
	json_count(&j, "absent", COUNT_NONE);
	json_ns(&j, "absent", NS_NONE);
	json_num(&j, "absent", NAN);
	json_text(&j, "absent", (struct str){ NULL, 0 });
	json_count_or_null(&j, "b", COUNT_NONE);
	json_num_or_null(&j, "c", INFINITY);
	json_num(&j, "zero", -0.0);
	json_num(&j, "d", 28350.400000000001);
	json_open(&j, "e", '[');
	json_item_u64(&j, UINT64_MAX);
	json_item_text(&j, str_of("x\t\"\\\x7f"));
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_close(&j, ']');
	json_text(&j, "f", str_of("\xe4\xbd\xa0"));
	json_text(&j, "g", str_of("a\xe4\xbd"));
	json_bytes(&j, "h", (struct str){ "\0\xff\x10", 3 });
	json_pair(&j, str_of("k\""), str_of(""));
	json_close(&j, '}');
	assert_false(j.failed);
	assert_string_equal(
		buf_cstr(&b),
		"{\"a\":1,\"b\":null,\"c\":null,\"zero\":0,\"d\":28350.4,"
		"\"e\":[18446744073709551615,\"x\\t\\\"\\\\\\u007f\",{}],"
		"\"f\":\"\xe4\xbd\xa0\",\"g\":\"a\\ufffd\\ufffd\",\"g_base64\":\"YeS9\","
		"\"h_base64\":\"AP8Q\",\"k\\\"\":\"\"}");
	buf_release(&b);
}

static void a_full_line_says_so(void **state)
{
	struct buf b;
	struct json j = { .out = &b };

	(void)state;
	buf_init(&b, 8);
	json_text(&j, "key", str_of("longer than eight bytes"));
	assert_true(j.failed);
	buf_release(&b);
}

static void ids_are_found(void **state)
{
	struct idmap m = { NULL, 0, 0 };
	size_t v;

	(void)state;
	assert_false(idmap_find(&m, 0, &v));
	/* Ids with equal low and with equal high halves. */
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(idmap_add(&m, i % 2 ? i << 32 : i, (size_t)i), 1);
	assert_int_equal(idmap_add(&m, 2, 77), 0);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_true(idmap_find(&m, i % 2 ? i << 32 : i, &v));
		assert_int_equal(v, i);
	}
	assert_int_equal(idmap_put(&m, 2, 77), 0);
	assert_true(idmap_find(&m, 2, &v));
	assert_int_equal(v, 77);
	assert_int_equal(idmap_put(&m, 3, 78), 1);
	assert_true(idmap_find(&m, 3, &v));
	assert_int_equal(v, 78);
	assert_false(idmap_find(&m, 1, &v));
	assert_false(idmap_find(&m, UINT64_MAX, &v));
	idmap_clear(&m);
	assert_false(idmap_find(&m, 2, &v));
	idmap_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_whole),
		cmocka_unit_test(scaled_numbers_are_exact),
		cmocka_unit_test(ids_have_64_bits),
		cmocka_unit_test(times_of_day),
		cmocka_unit_test(a_line_of_json),
		cmocka_unit_test(a_full_line_says_so),
		cmocka_unit_test(ids_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
