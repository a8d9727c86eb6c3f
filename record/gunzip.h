/*
 * A gzip body -> plain bytes, as they come: what a sender flushed is out at once.  A body
 * that is not gzip passes as it is.  (zlib, RFC 1952.)
 */
#ifndef RECORD_GUNZIP_H
#define RECORD_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gunzip;

struct gunzip *gunzip_create(void); /* NULL: out of memory */
void gunzip_free(struct gunzip *g);

/* Calls fn with each run of plain bytes.  0, or -1: the body is damaged from here on. */
int gunzip_feed(struct gunzip *g, const char *p, size_t n, void (*fn)(void *arg, const char *p, size_t n), void *arg);

#endif
