/*
 * A JSON value in one form for all who send it: without the white space between its
 * tokens, members and elements in the order sent.  What is no text counts by its digest: a
 * string of more than COMPACT_DATA bytes that is base64 or a data URL stands as "sha256:HEX".
 * Members named cache_control are left out: clients move them from turn to turn.
 */
#ifndef RECORD_COMPACT_H
#define RECORD_COMPACT_H

#include "formats/base/buf.h"

enum { COMPACT_DATA = 256 };

/* Appends the form of a value that is valid JSON.  0, or -1: no JSON, or past the buffer's ceiling. */
int compact_json(struct str value, struct buf *out);
/* The same, but without the members of the outermost object named in skip (NULL-terminated). */
int compact_without(struct str object, const char *const *skip, struct buf *out);

#endif
