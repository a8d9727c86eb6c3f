/*
 * Running gnuplot as a program: script and data in a private directory, the picture
 * checked, then moved into place whole.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include "formats/base/err.h"
#include "plot/page.h"
#include "plot/script.h"

/* Writes DIR/KIND.gp and DIR/KIND.dat; makes DIR if it is missing.  0 or -1. */
int gnuplot_write_script(const struct script *s, const char *kind, const char *dir, struct err *e);

/*
 * Draws the script and puts the picture at path ("-": stdout).  A path that is not a
 * regular file (a device, a pipe) is written into; any other is replaced in one step,
 * so that it never holds half a picture.  0, or -1: gnuplot is missing or fails, no
 * space, ...; then path is as it was.  What gnuplot said on stderr although it drew
 * the picture is added to s->remarks.
 */
int gnuplot_draw(struct script *s, const char *kind, const struct format *f, const char *path,
	struct err *e);

#endif
