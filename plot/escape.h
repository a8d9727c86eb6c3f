/*
 * Text from outside (model and run names, paths) -> text that is safe in a gnuplot
 * script and in the picture: valid UTF-8 on one line, within a number of columns, in
 * single quotes.  gnuplot runs backticks and expands escapes in double quotes only; in
 * single quotes the one special character is the quote, which is doubled.
 */
#ifndef PLOT_ESCAPE_H
#define PLOT_ESCAPE_H

#include <stddef.h>

#include "formats/base/buf.h"
#include "formats/base/str.h"

/*
 * Appends text, cleaned: control characters, line ends and characters that change the
 * reading order become a space, bytes that are not UTF-8 become U+FFFD, "]]>" (which no
 * XML text may hold) becomes "]] >".  Text wider than max_cols columns is cut and ends
 * in U+2026.  0, or -1 as buf_add().
 */
int escape_clean(struct buf *b, struct str text, size_t max_cols);

/* The same as a gnuplot string, with its quotes. */
int escape_quoted(struct buf *b, struct str text, size_t max_cols);

/* Columns that cleaned text takes; East Asian wide characters take two. */
size_t escape_columns(struct str text);

#endif
