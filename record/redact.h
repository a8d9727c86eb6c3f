/*
 * Rules that blot fields out of JSON before it is recorded.  A rule is a path; what it
 * leads to is replaced by the string "<redacted>" as a whole, whatever it is (null stays).
 *
 *     user                     the member of the outermost object
 *     metadata.*               every member of metadata
 *     messages[].content       of every element; messages[0].content of the first
 *     **.email                 at any depth, through objects and arrays
 *     metadata["a.b"]          a name with other characters than letters, digits, _ and -
 *
 * A string that is itself a JSON object or array, as the arguments of a tool call are, is
 * entered like one: messages[].tool_calls[].function.arguments.city.
 */
#ifndef RECORD_REDACT_H
#define RECORD_REDACT_H

#include "formats/base/buf.h"
#include "formats/base/err.h"

struct redact;

/* NULL: out of memory. */
struct redact *redact_create(void);
void redact_free(struct redact *r);
/* 0, or -1 and err with the place of the mistake and a right spelling. */
int redact_add(struct redact *r, const char *rule, struct err *e);
/* A file of rules, one a line; empty lines and those that begin with '#' are passed over. */
int redact_add_file(struct redact *r, const char *path, struct err *e);
bool redact_any(const struct redact *r);

enum redacted {
	REDACT_NOTHING,  /* no rule applies: the bytes may be kept as they are; out is untouched */
	REDACT_CHANGED,  /* out has what may be kept */
	REDACT_UNREADABLE, /* no JSON (or a member twice): nothing may be kept */
};
/*
 * Applies the rules to a document that stands at `at` in the whole ("": it is the whole; NULL: it
 * is an event, whose "response" or "message" may be the whole too).
 */
enum redacted redact_json(const struct redact *r, const char *at, struct str json, struct buf *out);

/* True if a rule may blot the value at the path (a rule's way of writing), or one around it. */
bool redact_covers(const struct redact *r, const char *at);
/* True if a rule may lead to a place below it. */
bool redact_enters(const struct redact *r, const char *at);

#endif
