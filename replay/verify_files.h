/* --verify on files: which comparisons there are to make, their report, the verdict. */
#ifndef REPLAY_VERIFY_FILES_H
#define REPLAY_VERIFY_FILES_H

#include "replay/options_verify.h"
#include "replay/source.h"

/*
 * path: the finished run.  source: what it repeats, if it is at hand, else NULL.  Prints
 * the report on stdout.  Returns the exit code; for EXIT_FAILED without a report, err says
 * why (empty: the report does).
 */
int verify_files(const char *path, const struct source *source, const struct options_verify *o,
		 struct err *e);

#endif
