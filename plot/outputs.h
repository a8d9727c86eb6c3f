/*
 * Where pictures go: -o and --format -> a format and a path per kind of chart.
 */
#ifndef PLOT_OUTPUTS_H
#define PLOT_OUTPUTS_H

#include <stdbool.h>

#include "formats/base/err.h"
#include "plot/page.h"

struct outputs {
	const struct format *format;
	const char *to;      /* -o; NULL: stdout, or none if only scripts are wanted */
	bool none;           /* no picture */
	bool directory;      /* to names a directory */
	bool many;           /* more than one kind: each has its own file */
};

/*
 * Decides from -o (NULL: not given), the format asked for (NULL: not given), and
 * whether scripts are kept.  0, or -1 with the remedy: a usage error.
 */
int outputs_choose(struct outputs *out, const char *to, const char *format, bool scripts, bool many,
	struct err *e);

/*
 * The path for a kind ("-": stdout): DIR/KIND.png in a directory, "run-KIND.png" for
 * "run.png" with many kinds, else as given.  Freed by the caller; NULL: no memory.
 */
char *outputs_path(const struct outputs *out, const char *kind);

#endif
