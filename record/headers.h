/*
 * Which headers a proxy passes on (RFC 9110, section 7.6.1): all but those of the one
 * connection they came over.  And how they stand in a trace: secrets by name only.
 */
#ifndef RECORD_HEADERS_H
#define RECORD_HEADERS_H

#include "formats/base/arena.h"
#include "formats/trace/record.h"

/*
 * True if the header belongs to one connection: the fixed ones, and those that the value(s)
 * of Connection name ("keep-alive, X-Hop"; NULL: none).
 */
bool header_is_hop(const char *name, const char *connection);

/* A header as it may be recorded; the value of a secret one is the mark.  Strings live in the arena. */
struct kv header_recorded(struct arena *a, const char *name, const char *value);

/* The id of the conversation that a client gives in one of the usual headers, or absent. */
struct str header_session(struct kvs headers);

#endif
