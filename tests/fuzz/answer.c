/* Any record of a response as an answer: no crash, and it is identical to itself. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>

#include "formats/trace/decode.h"
#include "replay/difference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct rec_response *r)
{
	struct arena store = { NULL, 0 };
	struct answer a, b;
	struct likeness l;

	if (answer_of(r, &a) < 0 || answer_of(r, &b) < 0)
		abort();
	answers_compare(&a, &b, &store, &l);
	if (!l.identical || !l.same_events)
		abort();
	/* Against one that says nothing: the place is the first one. */
	answer_release(&b);
	answers_compare(&a, &b, &store, &l);
	if (!l.identical && l.first.chars != 0)
		abort();
	answer_release(&a);
	arena_release(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_store s;
	struct record r;
	struct err e;

	decode_store_init(&s, 1 << 24);
	if (record_decode((const char *)data, size, &s, &r, &e) == 0 && r.kind == REC_RESPONSE)
		compare(&r.u.response);
	decode_store_release(&s);
	return 0;
}
