/* Rows -> one segment of a trace. */
#ifndef CONVERT_IMPORT_WRITE_H
#define CONVERT_IMPORT_WRITE_H

#include "formats/convert/import.h"

/* rows: sorted and linked, at least one.  digest: SHA-256 of the file.  0 or -1. */
int import_write(const struct import_opts *o, const struct rows *rows,
		 const struct import_result *r, const char *digest, struct err *e);

#endif
