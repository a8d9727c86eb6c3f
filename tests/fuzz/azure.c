/* A Azure file of any bytes: rows that add up, or a message; never more. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "formats/convert/import.h"
#include "formats/convert/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(struct rows *r)
{
	size_t dropped = 0;

	for (int d = 0; d < DROPS; d++)
		dropped += r->dropped[d];
	if (r->read != r->n + dropped)
		abort();
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].input_tokens < 0 || r->v[i].input_tokens > TOKENS_MAX)
			abort();
	rows_sort(r);
	for (size_t i = 1; i < r->n; i++)
		if (r->v[i].order_ns < r->v[i - 1].order_ns)
			abort();
	if (rows_link(r) < 0)
		abort();
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].parent >= (int64_t)i)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = { (const char *)data, size };

	azure_sniff(text);
	for (int skip_bad = 0; skip_bad < 2; skip_bad++) {
		const struct row_opts o = { "input", skip_bad };
		struct rows r = { .n = 0 };
		struct err e = { "" };

		if (azure_rows(text, &o, &r, &e) == 0)
			check_rows(&r);
		else if (!e.msg[0])
			abort();
		rows_release(&r);
	}
	return 0;
}
