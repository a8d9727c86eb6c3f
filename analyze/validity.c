#include <config.h>

#include "analyze/validity.h"

#include "formats/base/clock.h"

/* A length is forced where the engine was told to ignore its end token. */
static bool forced_length(const struct exchange *x)
{
	static const char key[] = "\"ignore_eos\":true";
	struct str b = x->req.body;

	return x->req.max_tokens != COUNT_NONE && b.p && memmem(b.p, b.n, key, sizeof(key) - 1);
}

const char *invalid_because(const struct request *r)
{
	const struct rec_response *s = &r->x->res;

	if (r->status != ST_OK)
		return "not ok";
	if (r->token_events == 0)
		return "empty output";
	if (!s->finish_reason.p)
		return "no finish reason";
	if (r->x->req.stream && !s->done_marker)
		return "no end marker";
	if (s->usage.completion == COUNT_NONE)
		return "no usage";
	if (forced_length(r->x) && s->usage.completion != r->x->req.max_tokens)
		return "wrong length";
	return NULL;
}
