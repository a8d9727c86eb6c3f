/* The parallel arrays of a response record -> struct events. */
#ifndef TRACE_DECODE_EVENTS_H
#define TRACE_DECODE_EVENTS_H

#include "formats/trace/mp.h"
#include "formats/wire/event.h"

/* sized: whether one of the record's arrays was read already, which says how long all are. */
void decode_events_begin(struct events *ev, bool *sized);
/* One array ("dt", "cls", "flags", "choice", "cum", "len") or the text blob; sets m->bad where it does not fit. */
void decode_events_field(struct mp *m, const char *key, struct events *ev, bool *sized);
/* 0, or -1 if the arrays differ in length or the text is not as long as its lengths say. */
int decode_events_end(struct events *ev);

#endif
