/*
 * How an exchange ended: transport, HTTP and stream facts -> status and error kind.
 * Pure; the rules are those of cases D06, D09 and D12.
 */
#ifndef RECORD_OUTCOME_H
#define RECORD_OUTCOME_H

#include "formats/trace/record.h"
#include "formats/wire/api.h"

/* Why the transfer is over. */
enum transfer_end {
	END_CLEAN,           /* the body ended as HTTP says it ends */
	END_CUT,             /* closed or reset in the middle of the response */
	END_CONNECT,         /* no connection */
	END_RESOLVE,         /* no such host */
	END_TLS,
	END_NO_REPLY,        /* closed or reset before a response head */
	END_PROTOCOL,        /* what came is no HTTP */
	END_CONNECT_TIMEOUT,
	END_FIRST_TOKEN_TIMEOUT,
	END_IDLE_TIMEOUT,
	END_TOTAL_TIMEOUT,
	END_CANCELLED,       /* by the client or by the run's end */
	END_OVERFLOW,        /* an event past its ceiling */
};

enum body_kind { BODY_NONE, BODY_STREAM, BODY_JSON, BODY_RAW, BODY_UNDECODABLE };

struct outcome {
	enum status status;
	const char *kind; /* static; NULL if ok; "" means "http_STATUS" */
};

struct outcome outcome_of(enum transfer_end end, int64_t http_status, enum body_kind body,
			  enum api_kind api, const struct api_summary *s);

#endif
