/* An analysis -> the forms in which it is printed.  All return 0, or -1 and err. */
#ifndef ANALYZE_OUTPUT_H
#define ANALYZE_OUTPUT_H

#include <stdio.h>

#include "analyze/analysis.h"
#include "formats/table/table.h"

enum { OUTPUT_PERCENTILES_MAX = 16 };

/* One object, as scripts rely on it: "toktrace-analysis", version 1. */
int output_json(const struct trace_data *t, size_t n, const struct analysis *a, FILE *out, struct err *e);
/* One object per request, in order of sending. */
int output_requests(const struct analysis *a, FILE *out, struct err *e);

/* The table for people (few columns) or for programs (all of them). */
struct table *output_table(const struct analysis *a, const double *percentiles, size_t n, bool people);
/* One row per request. */
struct table *output_request_table(const struct analysis *a);

#endif
