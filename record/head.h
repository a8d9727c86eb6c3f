/*
 * A response's head as it arrives, line by line: status line, then headers.  Heads that
 * are not the answer yet (1xx) are forgotten when the next one begins.
 */
#ifndef RECORD_HEAD_H
#define RECORD_HEAD_H

#include <stdbool.h>

#include "formats/base/buf.h"

enum { HEAD_MAX = 1 << 19 };

struct head {
	struct buf text;      /* lines, NUL-separated; the first is the status line */
	const char **lines;   /* of the headers, once it is done */
	size_t n;
	bool done;
};

void head_init(struct head *h);
void head_release(struct head *h);

/* A line with or without its end.  0, or -1: past HEAD_MAX or out of memory. */
int head_line(struct head *h, const char *p, size_t n);
/* The empty line came: makes lines.  0, or -1: out of memory. */
int head_finish(struct head *h);
/* What stands behind the code, "Not Found"; "" if nothing does. */
const char *head_reason(const struct head *h);

/* The first value of a header in such lines, without space before it; NULL: not there. */
const char *head_value(const char *const *lines, size_t n, const char *name);

#endif
