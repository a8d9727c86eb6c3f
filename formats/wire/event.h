/*
 * What one event of a response stream is, whatever API it came from.  Plain data:
 * wire makes these, the trace keeps them, everything else is computed from them.
 */
#ifndef WIRE_EVENT_H
#define WIRE_EVENT_H

#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/str.h"

/* The numbers stand in traces: append only. */
enum event_class {
	EV_ROLE,      /* delta.role; text = the role */
	EV_CONTENT,   /* answer text (non-empty) */
	EV_REASONING, /* thinking text (non-empty) */
	EV_TOOL,      /* one entry of delta.tool_calls that has a name or arguments; text = its raw JSON object */
	EV_REFUSAL,   /* delta.refusal (non-empty) */
	EV_FINISH,    /* finish_reason; text = the reason */
	EV_USAGE,     /* usage without choices; text = the raw JSON of the usage object */
	EV_DONE,      /* the protocol's end marker */
	EV_COMMENT,   /* SSE comment or field-only block; text = the line(s) without ':' */
	EV_ERROR,     /* an error object, or data that is not JSON; text = the raw data */
	EV_EMPTY,     /* an event that carries no token (empty or null delta, created, ping); text = its type if it has one, or the raw tool call entry that has no name or arguments */
	EV_OTHER,     /* anything else; text = the raw data */
	EV_CLASSES
};

/* Short name as in dumps: "role", "content", ... */
const char *event_class_name(enum event_class c);

enum event_flags {
	EVF_COALESCED = 1, /* came out of the same read as the event before it: shares its time */
	EVF_PART = 2,      /* belongs to the same wire event as the event before it (content + finish, ...) */
	EVF_CHOICES = 4,   /* its wire event had a non-empty "choices" */
};

struct event {
	int64_t t_ns;       /* from the segment's epoch; when the read returned that completed it */
	enum event_class cls;
	unsigned flags;     /* EVF_* */
	int32_t choice;     /* choices[].index; 0 where the API has none */
	int64_t cum_tokens; /* cumulative usage.completion_tokens that this wire event carried, else COUNT_NONE */
	struct str text;    /* borrowed; decoded UTF-8 for text classes; absent or as said at the class */
	size_t text_len;    /* text.n; kept apart, since --no-text keeps lengths only */
};

/* Token counts of a response as the engine said them; COUNT_NONE = not said. */
struct usage {
	int64_t prompt, completion, total, reasoning, cached;
};

#define USAGE_NONE ((struct usage){ COUNT_NONE, COUNT_NONE, COUNT_NONE, COUNT_NONE, COUNT_NONE })

/* A growing run of events, as parallel arrays like in the trace.  Owns everything. */
struct events {
	size_t n, cap;
	int64_t *t_ns;
	uint8_t *cls, *flags;
	int32_t *choice;
	int64_t *cum_tokens;
	uint32_t *text_len;
	struct buf text;  /* texts one after the other; empty when has_text is false */
	bool has_text;
};

void events_init(struct events *ev, bool has_text, size_t text_max);
/* Copies.  0, or -1: out of memory or text past its ceiling (then the event is not added). */
int events_add(struct events *ev, const struct event *e);
/* Appends all of src.  0 or -1 as events_add(). */
int events_append(struct events *ev, const struct events *src);
void events_clear(struct events *ev);
void events_release(struct events *ev);

/* Walks in order: struct events_iter it = {0}; while (events_next(ev, &it, &e)) ...; e.text borrows from ev. */
struct events_iter {
	size_t i, text_off;
};
bool events_next(const struct events *ev, struct events_iter *it, struct event *e);

#endif
