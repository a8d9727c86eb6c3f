/*
 * Where the live view goes: on a terminal it is redrawn in its place once a second, the
 * cursor hidden; elsewhere it is a line every ten seconds.  Standard error.
 */
#ifndef RECORD_CONSOLE_H
#define RECORD_CONSOLE_H

#include "record/watch.h"

struct console;

/* NULL: out of memory. */
struct console *console_create(void);
/* Once a second.  A console that does not take it now misses it: nobody waits for it. */
void console_show(struct console *c, const struct watch_view *v);
/* The terminal is as it was before.  NULL is fine. */
void console_free(struct console *c);

#endif
