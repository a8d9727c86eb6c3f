/*
 * Rows of a public workload file: requests that are known by their arrival and lengths.
 * What the import of every format comes down to.
 */
#ifndef CONVERT_ROWS_H
#define CONVERT_ROWS_H

#include "formats/base/arena.h"
#include "formats/base/clock.h"
#include "formats/base/err.h"

struct row {
	int64_t arrival_ns; /* on the file's own clock; NS_NONE: it gives none */
	int64_t input_tokens, output_tokens; /* COUNT_NONE: it gives none */
	struct str session, model; /* or absent */
	const uint64_t *blocks; /* chained prefix block ids, or NULL */
	size_t n_blocks;
	size_t line;	  /* where it stands, from 1 */
	int64_t order_ns; /* arrival, else that of the row above; set by rows_sort() */
	/* In its session, the parent as a place among the rows; set by rows_link(). */
	int64_t turn, parent;
};

/* Why a row cannot be used. */
enum drop { DROP_SYNTAX, DROP_MISSING, DROP_VALUE, DROP_UNSUPPORTED, DROPS };
const char *drop_name(enum drop d); /* "syntax", "missing", ... */

struct row_fault {
	enum drop why;
	size_t column; /* from 1; 0: the row as a whole */
	struct err what;
};

/* Rows of one file in file order; owns everything.  Starts as struct rows r = {0}. */
struct rows {
	struct row *v;
	size_t n, cap;
	int64_t block_tokens;  /* where rows have blocks */
	bool wall_clock;       /* arrivals are Unix time in ns */
	const char *time_unit; /* what the file's times are written in */
	size_t read;	       /* rows seen: n + all dropped */
	size_t dropped[DROPS];
	size_t inversions; /* rows that stand below one that arrived later; set by rows_sort() */
	/* Rows whose number of blocks does not fit their length; with 0 tokens in or out. */
	size_t odd_blocks, first_odd_line, zeros, first_zero_line;
	bool out_of_memory;
	struct arena store;
};

struct row_opts {
	const char *name; /* of the file, for messages */
	bool skip_bad;	  /* leave bad rows out and count them instead of failing */
};

/* A new row at the end, all unknown; NULL: out of memory. */
struct row *rows_add(struct rows *r);
/*
 * The last row, of this line, turned out bad: it is dropped and counted, or, without skip_bad,
 * e says "FILE: line L, column C: what" and the result is -1.
 */
int rows_drop(struct rows *r, size_t line, const struct row_fault *f,
	      const struct row_opts *o, struct err *e);
/* Fills f and returns -1.  column as in struct row_fault. */
int row_bad(struct row_fault *f, enum drop why, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* By arrival, in file order where that is equal; a row without one stays behind the row above it. */
void rows_sort(struct rows *r);
/* Numbers the turns of each session.  0 or -1: out of memory. */
int rows_link(struct rows *r);
void rows_release(struct rows *r);

#endif
