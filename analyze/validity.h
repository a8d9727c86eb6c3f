/*
 * Strict validity of a request: 2xx, non-empty output, finish reason, end marker where the
 * protocol has one, usage, the asked length where one was forced, no error in the stream.
 */
#ifndef ANALYZE_VALIDITY_H
#define ANALYZE_VALIDITY_H

#include "analyze/request.h"

/* NULL if valid, else the first reason against it (static text). */
const char *invalid_because(const struct request *r);

#endif
