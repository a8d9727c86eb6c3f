/* What a response said, put together again from its events. */
#ifndef ANALYZE_TEXTS_H
#define ANALYZE_TEXTS_H

#include <jansson.h>

#include "formats/wire/event.h"

/* Texts of one class (EV_CONTENT, EV_REASONING) of one choice, joined into out. */
void texts_join(const struct events *ev, enum event_class cls, int32_t choice, struct buf *out);

/* The tool calls of one choice, pieces joined by their index: [{"index","id","name","arguments"}]; caller owns it. */
json_t *texts_tool_calls(const struct events *ev, int32_t choice);

/* A JSON string of the bytes; bytes that are no UTF-8 become U+FFFD. */
json_t *texts_string(struct str s);

#endif
