/*
 * SHA-256, as "sha256sum" prints it, so that a digest in a trace can be checked with
 * tools that everybody has.  A thin layer over libcrypto.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

enum { DIGEST_HEX = 64 };

struct digest;

/* NULL if out of memory.  Freed by digest_finish(). */
struct digest *digest_create(void);
void digest_add(struct digest *d, const void *p, size_t n);
/* Writes 64 hex digits and a NUL; frees d. */
void digest_finish(struct digest *d, char hex[DIGEST_HEX + 1]);
/* All of it in one call. */
void digest_bytes(const void *p, size_t n, char hex[DIGEST_HEX + 1]);

#endif
