/*
 * Typed rows <-> text.  One table, printed as aligned text, Markdown, TSV, CSV or JSON;
 * absent is "-" in text and Markdown, empty in TSV and CSV, null in JSON.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "formats/base/err.h"
#include "formats/base/str.h"

enum col_type { COL_TEXT, COL_INT, COL_NUM };

struct col {
	const char *name;   /* machine name with its unit, "ttft_p95_ms": TSV, CSV, JSON */
	const char *title;  /* heading for people, "TTFT p95 (ms)": text and Markdown */
	enum col_type type;
	int decimals;       /* COL_NUM in text and Markdown; TSV, CSV and JSON print all significant digits */
};

struct table; /* owns copies of its columns' strings and cells */

/* NULL: out of memory. */
struct table *table_create(const char *title, const struct col *cols, size_t n);
void table_free(struct table *t);

/* Cells are added left to right, row after row.  NaN and absent strings are absent cells. */
void table_text(struct table *t, struct str s);
void table_int(struct table *t, int64_t v);     /* COUNT_NONE: absent */
void table_num(struct table *t, double v);      /* NaN, inf: absent; -0 becomes 0 */
/* A line under the table in text and Markdown; "#" comment lines in TSV; left out of CSV and JSON. */
void table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum table_format { TABLE_FMT_TEXT, TABLE_FMT_MARKDOWN, TABLE_FMT_TSV, TABLE_FMT_CSV, TABLE_FMT_JSON };
/* Control bytes never reach a terminal; CSV cells cannot start a formula.  0, or -1: write error. */
int table_print(const struct table *t, enum table_format f, FILE *out, struct err *e);

/* Reading back what table_print() wrote as TSV (for tokplot).  0 or -1 with file, line and cause. */
int table_read_tsv(FILE *in, const char *name, struct table **out, struct err *e);
size_t table_rows(const struct table *t);
size_t table_cols(const struct table *t);
int table_find(const struct table *t, const char *col_name); /* index or -1 */
struct str table_cell(const struct table *t, size_t row, size_t col); /* as TSV text; absent = NULL */
double table_cell_num(const struct table *t, size_t row, size_t col); /* NaN if absent or no number */

#endif
