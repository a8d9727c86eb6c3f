/* Deep copies of records into an arena, so that they outlive the reader's next record. */
#ifndef TRACE_COPY_H
#define TRACE_COPY_H

#include "formats/base/arena.h"
#include "formats/trace/record.h"

void copy_header(struct arena *a, struct rec_header *h);
void copy_phase(struct arena *a, struct rec_phase *p);
void copy_request(struct arena *a, struct rec_request *q);
/* All but the events. */
void copy_response(struct arena *a, struct rec_response *s);

#endif
