/*
 * The metrics of a recorder as text, in Prometheus' exposition format 0.0.4.  Pure.
 */
#ifndef RECORD_METRICS_H
#define RECORD_METRICS_H

#include "record/recorder.h"
#include "record/stats.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* start_wall_ns: Unix time at which the recorder began. */
void metrics_text(const struct stats *s, const struct recorder_state *r, int64_t start_wall_ns, struct buf *out);

#endif
