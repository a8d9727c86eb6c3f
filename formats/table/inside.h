/* The table's inside, for its printers.  Private to formats/table/. */
#ifndef TABLE_INSIDE_H
#define TABLE_INSIDE_H

#include "formats/base/arena.h"
#include "formats/table/table.h"

enum cell_kind { CELL_ABSENT, CELL_TEXT, CELL_INT, CELL_NUM };

struct cell {
	enum cell_kind kind;
	struct str text;
	int64_t i;
	double num;
};

struct table {
	struct arena store;
	const char *title;
	struct col *cols;
	size_t n_cols;
	struct cell *cells; /* row after row */
	size_t n_cells, cap_cells;
	struct str *notes;
	size_t n_notes, cap_notes;
	bool failed;        /* out of memory on the way */
};

enum { CELL_TEXT_MAX = 64 };
/* A number with all digits it needs, "" for others. */
void cell_exact(const struct cell *c, char out[CELL_TEXT_MAX]);

void table_print_text(const struct table *t, FILE *out);
void table_print_markdown(const struct table *t, FILE *out);
void table_print_tsv(const struct table *t, FILE *out);
void table_print_csv(const struct table *t, FILE *out);
void table_print_json(const struct table *t, FILE *out);

#endif
