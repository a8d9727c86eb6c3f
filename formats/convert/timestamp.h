/* Wall-clock text -> ns.  A time without a zone is UTC, whatever the machine's zone is. */
#ifndef CONVERT_TIMESTAMP_H
#define CONVERT_TIMESTAMP_H

#include <stdint.h>

#include "formats/base/str.h"

/*
 * "2023-11-16 18:17:03.9799600", "2024-05-10 00:00:00.009930+00:00", "...T04:05:06.25Z":
 * ns since 1970 (UTC), exact to the last of up to 9 fraction digits (further ones must be 0).
 * 0, or -1: not such a time.
 */
int timestamp_parse(struct str s, int64_t *ns);

#endif
