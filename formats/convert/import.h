/*
 * Public trace formats -> toktrace.  To add one: a file with its two functions, a row in the
 * table of import.c, a section in tokconvert.1.
 */
#ifndef CONVERT_IMPORT_H
#define CONVERT_IMPORT_H

#include <stdio.h>

#include "formats/base/buf.h"
#include "formats/convert/rows.h"

struct import_format {
	const char *name; /* "mooncake" */
	/* True if the file's first bytes look like it. */
	bool (*sniff)(struct str head);
	/* Fills out with the file's rows.  0, or -1 with file, line, column and cause. */
	int (*rows)(struct str text, const struct row_opts *o, struct rows *out,
		    struct err *e);
};

/* Ends with .name == NULL. */
extern const struct import_format import_formats[];

/* NULL: there is none of this name; then import_unknown() words that, with the nearest and all names. */
const struct import_format *import_find(const char *name);
const char *import_unknown(const char *name, struct err *e);

bool mooncake_sniff(struct str head);
int mooncake_rows(struct str text, const struct row_opts *o, struct rows *out,
		  struct err *e);
bool azure_sniff(struct str head);
int azure_rows(struct str text, const struct row_opts *o, struct rows *out,
	       struct err *e);

struct import_opts {
	const char *in;	  /* "-": stdin */
	const char *from; /* a format's name, or NULL to find it by content */
	const char *out;  /* "-": stdout */
	bool skip_bad;
	int argc; /* the tool's, for the trace's header */
	char **argv;
};

struct import_result {
	const char *name, *format, *time_unit;
	size_t read, written, dropped[DROPS];
	size_t inversions;
	size_t odd_blocks, first_odd_line, zeros, first_zero_line;
};

/* 0, or -1: nothing was written, or out may hold a part. */
int import_file(const struct import_opts *o, struct import_result *r, struct err *e);
/* What was read, written, left out and odd, in one line per matter. */
void import_report(const struct import_result *r, FILE *to);

#endif
