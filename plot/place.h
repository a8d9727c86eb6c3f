/*
 * A finished picture -> its place, in one step.
 */
#ifndef PLOT_PLACE_H
#define PLOT_PLACE_H

#include "formats/base/err.h"

/*
 * Copies from to path ("-": stdout): a regular or missing file is replaced by a rename
 * within its directory (through symbolic links), anything else is written into.
 * A form feed at the beginning is left out.
 * 0, or -1: from is missing or empty, no space, ...; a replaced file is then untouched.
 */
int place_file(const char *from, const char *path, struct err *e);

#endif
