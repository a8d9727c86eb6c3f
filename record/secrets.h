/* The secrets of one request, so that what an engine echoes of them can be blotted out. */
#ifndef RECORD_SECRETS_H
#define RECORD_SECRETS_H

#include "formats/base/buf.h"

struct secrets {
	struct buf values; /* NUL-separated */
};

void secrets_init(struct secrets *s);
void secrets_release(struct secrets *s);
/* Takes "Name: value" if the name is a secret's: the value, and the part behind "Bearer " and the like. */
void secrets_add_header(struct secrets *s, const char *line);
/* Takes userinfo and the values of secret query parameters. */
void secrets_add_url(struct secrets *s, const char *url);
/* Appends text to out with every secret replaced by "<redacted>". */
void secrets_blot(const struct secrets *s, struct str text, struct buf *out);
static inline bool secrets_any(const struct secrets *s)
{
	return s->values.n > 0;
}

#endif
