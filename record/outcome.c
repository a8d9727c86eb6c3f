#include <config.h>

#include "record/outcome.h"

/* The transport failed before or apart from anything that the stream says. */
static const struct outcome by_end[] = {
	[END_CUT] = { ST_TRUNCATED, "cut" },
	[END_CONNECT] = { ST_ERROR, "connect" },
	[END_RESOLVE] = { ST_ERROR, "resolve" },
	[END_TLS] = { ST_ERROR, "tls" },
	[END_NO_REPLY] = { ST_ERROR, "no_reply" },
	[END_PROTOCOL] = { ST_ERROR, "protocol" },
	[END_CONNECT_TIMEOUT] = { ST_TIMEOUT, "connect_timeout" },
	[END_FIRST_TOKEN_TIMEOUT] = { ST_TIMEOUT, "first_token_timeout" },
	[END_IDLE_TIMEOUT] = { ST_TIMEOUT, "idle_timeout" },
	[END_TOTAL_TIMEOUT] = { ST_TIMEOUT, "total_timeout" },
	[END_CANCELLED] = { ST_CANCELLED, "cancelled" },
	[END_OVERFLOW] = { ST_ERROR, "event_too_large" },
};

struct outcome outcome_of(enum transfer_end end, int64_t http_status, enum body_kind body,
			  enum api_kind api, const struct api_summary *s)
{
	const struct outcome ok = { ST_OK, NULL };

	/* A head with a failure code is the failure, however its body ends. */
	if (http_status != COUNT_NONE && (http_status < 200 || http_status > 299))
		return (struct outcome){ ST_ERROR, "" };
	/* An error object in the stream: no end marker heals it. */
	if (s->error)
		return (struct outcome){ ST_ERROR, "in_band" };
	/* The end marker was seen: what the connection does after it is no fault. */
	if (s->done)
		return ok;
	if (end != END_CLEAN)
		return by_end[end];
	if (api == API_NONE)
		return ok;
	if (body == BODY_UNDECODABLE)
		return (struct outcome){ ST_ERROR, "undecodable" };
	if (body == BODY_RAW)
		return (struct outcome){ ST_ERROR, "not_stream" };
	if (s->finishes > 0 && api_finish_ends(api))
		return ok;
	return (struct outcome){ ST_TRUNCATED, "no_end" };
}
