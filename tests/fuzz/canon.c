/* Any bytes as a request body, for each protocol: what is read covers the text without gaps, and reads so again. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>

#include "record/canon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum api_kind kinds[] = { API_CHAT, API_COMPLETIONS, API_RESPONSES, API_MESSAGES, API_OLLAMA_GENERATE };
	struct str body = { (const char *)data, size };
	struct canon a, b;

	canon_init(&a);
	canon_init(&b);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t covered = 0;

		if (canon_read(&a, kinds[k], body) != canon_read(&b, kinds[k], body) ||
		    !str_eq(buf_str(&a.text), buf_str(&b.text)))
			abort();
		for (size_t i = 0; i < a.n; i++) {
			if (a.v[i].off != covered || a.v[i].said_off + a.v[i].said_len > a.said.n)
				abort();
			covered += a.v[i].len;
		}
		if (covered != a.text.n)
			abort();
	}
	canon_release(&a);
	canon_release(&b);
	return 0;
}
