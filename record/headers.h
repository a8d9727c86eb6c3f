/*
 * Which headers a proxy passes on (RFC 9110, section 7.6.1): all but those of the one
 * connection they came over.  And how they stand in a trace: secrets by name only.
 */
#ifndef RECORD_HEADERS_H
#define RECORD_HEADERS_H

#include "formats/base/arena.h"
#include "formats/base/buf.h"
#include "formats/trace/record.h"

enum { HEADERS_PASSED_MAX = 512 }; /* of a request */

/* True if the comma-separated list (NULL: an empty one) names it, in whatever case. */
bool header_lists(const char *list, const char *name);

/* Appends the value if it is a Connection header's: there may be several. */
void header_connection(struct buf *all, const char *name, const char *value);

/*
 * True if the header belongs to one connection: the fixed ones, and those that the values
 * of Connection name ("keep-alive, X-Hop"; NULL: none).
 */
bool header_is_hop(const char *name, const char *connection);

/* A header as it may be recorded; the value of a secret one is the mark.  Strings live in the arena. */
struct kv header_recorded(struct arena *a, const char *name, const char *value);

/* The id of the conversation that a client gives in one of the usual headers, or absent. */
struct str header_session(struct kvs headers);

#endif
