/*
 * Secrets never enter a trace, a log or a report: what counts as one, and how it is
 * blotted out.  Names are kept, values become "<redacted>".
 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "formats/base/buf.h"

#define SECRET_MARK "<redacted>"

/* Header or query parameter whose value is a secret: authorization, cookie, and names with key, token, secret, auth, password, credential, signature. */
bool secret_name(struct str name);
/* The same for the name of a query parameter, as it stands in a URL: %6Bey is key. */
bool secret_parameter(struct str name);
/* Appends part of a URL with its escapes (%2D, +) decoded. */
void secret_unescape(struct str part, struct buf *out);
/* A URL or path without userinfo and without the values of secret query parameters; appended to out. */
void secret_scrub_url(struct str url, struct buf *out);
/* A command-line argument after prev ("--header" "Authorization: Bearer x", "--api-key=x", URLs); appended to out. */
void secret_scrub_arg(const char *prev, const char *arg, struct buf *out);
/* Appends text with each occurrence of needle (at least 4 bytes) replaced by the mark. */
void secret_blot(struct str text, struct str needle, struct buf *out);

#endif
