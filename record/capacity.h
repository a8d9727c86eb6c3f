/*
 * How many streams the limit on file descriptors allows: each takes two, one to the client
 * and one to the engine.
 */
#ifndef RECORD_CAPACITY_H
#define RECORD_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"

/* Raises the soft limit to the hard one and returns it. */
int64_t capacity_raise_limit(void);

/*
 * wanted: streams at once, or COUNT_NONE for as many as can be.  Returns how many may be,
 * or -1: the limit is too low; err says what it must be.  *low is set if it is allowed but
 * small for a server that others share.
 */
int64_t capacity_streams(int64_t limit, int64_t wanted, bool *low, struct err *e);

/* A descriptor from this number on is none for a new stream: descriptors are taken lowest first. */
int64_t capacity_last_fd(int64_t limit);

#endif
