/* The report of a verification: a table with the first differences as notes, or JSON. */
#ifndef REPLAY_VERIFY_OUT_H
#define REPLAY_VERIFY_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "formats/table/table.h"
#include "replay/verify.h"

/* Differences named under the table; the JSON has them all. */
enum { VERIFY_NOTES_MAX = 10 };

/* n comparisons of one run.  0, or -1: write error. */
int verify_print(const struct verify *v, size_t n, enum table_format f, FILE *out, struct err *e);

#endif
