/*
 * A chart as text: the gnuplot script and the data file it reads.
 */
#ifndef PLOT_SCRIPT_H
#define PLOT_SCRIPT_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"

struct script {
	struct buf gp;       /* the script; reads the file "KIND.dat" in its directory */
	struct buf data;     /* that file */
	struct buf remarks;  /* what the user should be told besides, a line each */
	bool failed;         /* out of memory: the text is not whole */
};

void script_init(struct script *s);
void script_release(struct script *s);

/* Append to the script or to the data; failure is kept in s->failed. */
void script_gp(struct script *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void script_data(struct script *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends text as a quoted string to the script, or as a comment's words to the data. */
void script_quoted(struct script *s, const char *text, size_t max_cols);
void script_comment(struct script *s, const char *text);
void script_remark(struct script *s, const char *text);

#endif
