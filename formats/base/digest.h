/*
 * SHA-256, as "sha256sum" prints it, so that a digest in a trace can be checked with
 * tools that everybody has; and HMAC-SHA-256 (RFC 2104) for digests that only the holder
 * of a key can check.  A thin layer over libcrypto.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/str.h"

enum { DIGEST_HEX = 64, DIGEST_BYTES = 32 };

struct digest;

/* NULL if out of memory.  Freed by digest_finish(). */
struct digest *digest_create(void);
void digest_add(struct digest *d, const void *p, size_t n);
/* Writes 64 hex digits and a NUL; frees d. */
void digest_finish(struct digest *d, char hex[DIGEST_HEX + 1]);
/* All of it in one call. */
void digest_bytes(const void *p, size_t n, char hex[DIGEST_HEX + 1]);

struct mac; /* a key, ready for any number of messages */

/* Copies the key.  NULL if out of memory. */
struct mac *mac_create(struct str key);
void mac_free(struct mac *m);
/* HMAC-SHA-256 of the parts, one after another.  All zero if libcrypto fails. */
void mac_parts(struct mac *m, const struct str *parts, size_t n, unsigned char out[DIGEST_BYTES]);
/* Its first eight bytes, the first one highest. */
uint64_t mac_id(struct mac *m, const struct str *parts, size_t n);
/* n bytes that nobody can guess.  0 or -1. */
int random_bytes(unsigned char *p, size_t n);

#endif
