/* What of an exchange is kept in the trace. */
#ifndef RECORD_KEEP_H
#define RECORD_KEEP_H

#include "record/relay_own.h"

/* Makes the record of the relay's request, which was sent at sent_ns from the epoch. */
void keep_request(struct relay *r, int64_t sent_ns);

/* A record of its response, part or last: capture.h's on_record; arg is the relay. */
void keep_response(void *arg, const struct rec_response *s);

#endif
