/* Redaction rules, applied to the events of answers.  Private to hide. */
#ifndef RECORD_HIDE_EVENTS_H
#define RECORD_HIDE_EVENTS_H

#include "formats/wire/api.h"
#include "record/redact.h"

struct event_plans;

/* NULL: out of memory.  The rules are borrowed. */
struct event_plans *event_plans_create(const struct redact *rules);
void event_plans_free(struct event_plans *p);

/*
 * Puts what may be kept of ev into store and makes ev a view of it, if anything changes.
 * errors: the words of error events are not kept.  True if something was changed.
 */
bool hide_events(const struct event_plans *p, enum api_kind api, bool errors, struct events *ev,
		 struct events *store);

#endif
