/* A common start for several processes: a time on the wall clock. */
#ifndef REPLAY_START_H
#define REPLAY_START_H

#include <stdint.h>

#include "formats/base/err.h"

/*
 * "2026-12-01T14:00:00Z" (RFC 3339, with a fraction and an offset), seconds of Unix time
 * ("1764597600.5"), or "+5s" from now_ns.  *wall_ns is Unix time in ns.  0 or -1.
 */
int start_parse(const char *text, int64_t now_ns, int64_t *wall_ns, struct err *e);

#endif
