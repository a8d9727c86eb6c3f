/*
 * The two clocks.  Everything is measured on CLOCK_MONOTONIC; wall time is read once,
 * for the anchor in a trace's header.  `now` is read once per event and passed down.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/* Unknown time: absent from a trace, null in tables.  Never 0. */
#define NS_NONE INT64_MIN
/* Unknown count of tokens, requests, ...; absent likewise. */
#define COUNT_NONE INT64_C(-1)

int64_t clock_mono_ns(void);
int64_t clock_wall_ns(void);
/* CPU time that the calling thread has used. */
int64_t clock_thread_cpu_ns(void);

#endif
