/* The items of a canonical prompt, from raw JSON.  Private to canon. */
#ifndef RECORD_CANON_ITEM_H
#define RECORD_CANON_ITEM_H

#include "record/canon.h"

/* All: 0, or -1: no JSON, or out of memory.  An absent or null value adds nothing. */

/* An item of a role; its content is a text, a list of parts, or anything else in compact form. */
int canon_add_item(struct canon *c, enum canon_kind kind, const char *role, struct str content);
/* The same, always in compact form. */
int canon_add_compact(struct canon *c, enum canon_kind kind, const char *role, struct str value);
/* An item for each message; a text is one of the user. */
int canon_add_messages(struct canon *c, struct str list);

/* An item without role and marks; NULL: out of memory.  Put its text, then end it. */
struct canon_item *canon_begin_bare(struct canon *c, enum canon_kind kind);
void canon_end(struct canon *c);
/* Appends the characters of a quoted string. */
int canon_put_string(struct buf *out, struct str quoted);

#endif
