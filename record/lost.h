/*
 * How an exchange ends in the trace whose records did not all get there: with a last part
 * that nobody takes for a whole one.  Status truncated, error kind "not_recorded".
 */
#ifndef RECORD_LOST_H
#define RECORD_LOST_H

#include "formats/trace/record.h"
#include "record/flight.h"

/* Instead of its true last part: its facts stay, but what its lost events would show goes. */
void lost_response(struct record *out, const struct rec_response *last, const struct flight *x);
/* Where it has not ended yet.  why is borrowed. */
void lost_end(struct record *out, const struct flight *x, int64_t t_ns, const char *why);

#endif
