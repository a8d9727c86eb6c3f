/* OpenAI text_completion: choices[].text; vLLM and SGLang add reasoning fields nowhere here. */
#include <config.h>

#include "formats/wire/chunk.h"

void completions_choice(struct scan *s, struct chunk *c)
{
	size_t from = c->n_parts;
	int64_t index = 0;
	struct str key, finish = { NULL, 0 };

	while (scan_key(s, &key)) {
		if (str_is(key, "text"))
			part_string(s, c, EV_CONTENT);
		else if (str_is(key, "finish_reason"))
			finish = scan_raw(s);
		else if (str_is(key, "index") && scan_peek(s) == SCAN_NUMBER)
			index = scan_int(s);
		else
			scan_raw(s);
	}
	if (finish.n && !s->bad) {
		struct scan last = scan_of(finish);

		part_string(&last, c, EV_FINISH);
	}
	for (size_t i = from; i < c->n_parts; i++)
		c->parts[i].choice = index >= 0 && index <= INT32_MAX ? (int32_t)index : 0;
}
