/* What an error inside a response says.  Off the hot path: jansson reads it. */
#ifndef WIRE_FAULT_H
#define WIRE_FAULT_H

#include <stdint.h>

#include "formats/base/buf.h"

/*
 * Appends the message of an error object ({"error":{"message"}}, {"error":"text"},
 * {"message","code"}), or the data itself, as one line; *code: its numeric code if it has one.
 */
void fault_read(struct str data, struct buf *text, int64_t *code);

#endif
