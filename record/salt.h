/*
 * The key of everything that is hashed of a text: prefix blocks, session labels, the choice
 * of a sample.  Without a file it is random, so that nobody can guess texts from a trace and
 * no two traces can be compared.  It is never written anywhere.
 */
#ifndef RECORD_SALT_H
#define RECORD_SALT_H

#include "formats/base/digest.h"
#include "formats/base/err.h"

enum { SALT_MIN = 16, SALT_MAX = 4096 };

/* From a file of SALT_MIN to SALT_MAX bytes (white space at its end aside), or random if path is NULL.  NULL and err. */
struct mac *salt_load(const char *path, struct err *e);

#endif
