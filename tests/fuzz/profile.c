/* A profile of any bytes: parsed or refused with a message, never more. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "replay/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;
	struct err e = { "" };

	if (profile_parse((struct str){ (const char *)data, size }, &p, &e) < 0) {
		if (!e.msg[0])
			abort();
	} else if (p.kv_tokens < p.max_model_len || p.max_num_seqs < 1 || p.output_tokens < 1) {
		abort();
	}
	return 0;
}
