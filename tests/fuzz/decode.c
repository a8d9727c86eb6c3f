/* Any bytes as a record: no crash, no allocation that the input does not pay for. */
#include <config.h>

#include <stdint.h>

#include "formats/trace/decode.h"
#include "formats/trace/mp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_walk w = { 0, 1 };
	struct decode_store s;
	struct record r;
	struct err e;

	decode_store_init(&s, 1 << 24);
	if (mp_walk(&w, (const char *)data, size, 1 << 24) == MP_WHOLE)
		record_decode((const char *)data, w.pos, &s, &r, &e);
	record_decode((const char *)data, size, &s, &r, &e);
	decode_store_release(&s);
	return 0;
}
