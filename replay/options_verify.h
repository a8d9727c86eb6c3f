/* Options of the comparison of outputs: --verify and what goes with it. */
#ifndef REPLAY_OPTIONS_VERIFY_H
#define REPLAY_OPTIONS_VERIFY_H

#include "formats/base/opt.h"
#include "formats/table/table.h"

struct options_verify {
	bool on, strict;
	const char *with;  /* the other trace, or NULL */
	int format;        /* enum table_format */
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_verify_rows(struct options_verify *o, struct opt *rows);
/* After parsing: completes o, or exits with 2.  live: a run comes first, and writes output. */
void options_verify_check(struct options_verify *o, bool live, const char *output);

#endif
