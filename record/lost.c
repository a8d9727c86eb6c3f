#include <config.h>

#include "record/lost.h"

static void mark(struct rec_response *s, const struct flight *x, const char *why)
{
	s->id = x->id;
	s->part = x->parts;
	s->last = true;
	s->status = ST_TRUNCATED;
	s->error_kind = str_of("not_recorded");
	s->error_text = str_of(why);
}

void lost_response(struct record *out, const struct rec_response *last, const struct flight *x)
{
	struct rec_response *s = &out->u.response;

	*out = (struct record){ .kind = REC_RESPONSE, .u.response = *last };
	s->events = (struct events){ .n = 0 };
	s->finish_reason = s->raw = (struct str){ NULL, 0 };
	s->done_marker = false;
	mark(s, x, "the recorder's queue was full: parts of it were dropped");
}

void lost_end(struct record *out, const struct flight *x, int64_t t_ns, const char *why)
{
	record_init(out, REC_RESPONSE);
	out->u.response.end_ns = t_ns;
	mark(&out->u.response, x, why);
}
