#include <config.h>

#include "record/console.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_EVERY_S = 10, TEXT_MAX = 1 << 16 };

static const char hide_cursor[] = "\x1b[?25l", show_cursor[] = "\x1b[?25h";

struct console {
	bool terminal, drawn;
	int seconds;
};

struct console *console_create(void)
{
	struct console *c = calloc(1, sizeof(*c));

	if (c)
		c->terminal = isatty(STDERR_FILENO);
	return c;
}

/* One write, and only if it will not block: a terminal that is stopped stops nobody. */
static void put(const struct buf *b)
{
	struct pollfd p = { STDERR_FILENO, POLLOUT, 0 };
	ssize_t ignored;

	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT))
		return;
	ignored = write(STDERR_FILENO, b->p, b->n);
	(void)ignored;
}

static void draw(struct console *c, const struct watch_view *v, struct buf *out)
{
	struct buf screen;

	buf_init(&screen, TEXT_MAX);
	watch_screen(v, &screen);
	if (!c->drawn)
		buf_adds(out, hide_cursor);
	watch_redraw(&screen, !c->drawn, out);
	c->drawn = true;
	buf_release(&screen);
}

void console_show(struct console *c, const struct watch_view *v)
{
	struct buf out;

	if (!c->terminal && ++c->seconds % LINE_EVERY_S != 0)
		return;
	buf_init(&out, TEXT_MAX);
	if (c->terminal)
		draw(c, v, &out);
	else
		watch_line(v, &out);
	put(&out);
	buf_release(&out);
}

void console_free(struct console *c)
{
	struct buf out;

	if (!c)
		return;
	buf_init(&out, TEXT_MAX);
	buf_adds(&out, show_cursor);
	if (c->drawn)
		put(&out);
	buf_release(&out);
	free(c);
}
