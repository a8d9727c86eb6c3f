/*
 * Public trace formats -> toktrace.  To add one: a file with an import function, a row in
 * the table of import.c.
 */
#ifndef CONVERT_IMPORT_H
#define CONVERT_IMPORT_H

#include "formats/base/arena.h"
#include "formats/base/buf.h"
#include "formats/base/err.h"
#include "formats/trace/record.h"

/* One row of a workload: a request known by its arrival and lengths. */
struct row {
	int64_t arrival_ns;      /* on the file's own clock */
	int64_t input_tokens, output_tokens;
	struct str session;      /* or absent */
	const uint64_t *blocks;  /* chained prefix block ids, or NULL */
	size_t n_blocks;
	size_t line;             /* where it stands, from 1 */
};

/* Rows of one file in file order; owns everything. */
struct rows {
	struct row *v;
	size_t n, cap;
	int64_t block_tokens;    /* COUNT_NONE: no prefix identity */
	const char *time_unit;   /* what the file's time stamps are in */
	size_t read, bad;        /* rows seen; rows left out because they were bad (--skip-bad) */
	size_t odd_blocks;       /* rows whose block count does not fit their length */
	size_t first_odd_line;
	struct arena store;
};

struct import_opts {
	const char *name;        /* of the file, for messages */
	bool skip_bad;           /* leave bad rows out and count them instead of failing */
};

struct import_format {
	const char *name;        /* "mooncake" */
	const char *what;        /* one line for --help */
	/* True if the file's first bytes look like it. */
	bool (*sniff)(struct str head);
	/* 0, or -1 with file, line, column and cause. */
	int (*rows)(struct str text, const struct import_opts *o, struct rows *out, struct err *e);
};

/* Ends with .name == NULL. */
extern const struct import_format import_formats[];

/* A new zeroed row, or NULL: out of memory. */
struct row *rows_add(struct rows *r);
void rows_release(struct rows *r);

bool mooncake_sniff(struct str head);
int mooncake_rows(struct str text, const struct import_opts *o, struct rows *out, struct err *e);
bool azure_sniff(struct str head);
int azure_rows(struct str text, const struct import_opts *o, struct rows *out, struct err *e);

struct import_result {
	size_t rows, bad, inversions, odd_blocks, first_odd_line;
	const char *format, *time_unit;
};

/*
 * Reads in ("-": stdin), writes a trace to out.  from: a format's name, or NULL to find it by
 * content.  0 or -1.
 */
int import_file(const char *in, const char *from, const char *out, bool skip_bad, int argc, char **argv,
		struct import_result *result, struct err *e);

#endif
