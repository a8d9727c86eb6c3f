/* A response that came as one JSON body instead of a stream -> the events it stands for. */
#ifndef WIRE_WHOLE_H
#define WIRE_WHOLE_H

#include "formats/wire/event.h"

typedef void (*whole_fn)(void *arg, enum event_class cls, int32_t choice, struct str text);

/* Per choice: role, reasoning, content, refusal, tool calls, finish; then usage.  Nothing if the body is no JSON object. */
void whole_events(struct str body, whole_fn fn, void *arg);

#endif
