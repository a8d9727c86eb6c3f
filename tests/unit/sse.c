/* Random streams, made of the pieces that matter: the target aborts where they differ. */
#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/wire/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
	"\n", "\r", "\r\n", "\n\n", "\r\n\r\n", ":", " ", "data", "data:", "data: x", "event: e",
	"event", "id: 7", "retry: 3", ": c", "\xef", "\xbb", "\xbf", "\xef\xbb\xbf", "\xe2\x80\xa8",
	"datax: y", "data : z", "{\"a\":1}",
};

static void random_streams(void **state)
{
	uint32_t seed = 12345;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 16);
	for (int i = 0; i < 20000; i++) {
		int n;

		buf_clear(&b);
		seed = seed * 1664525 + 1013904223;
		n = (int)(seed >> 27);
		for (int k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			buf_adds(&b, pieces[(seed >> 8) % (sizeof(pieces) / sizeof(*pieces))]);
		}
		LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&b).p, b.n);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_streams) };

	return cmocka_run_group_tests_name("sse", tests, NULL, NULL);
}
