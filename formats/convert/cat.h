/* Several traces -> one: their segments, one after the other. */
#ifndef CONVERT_CAT_H
#define CONVERT_CAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

struct cat_result {
	int64_t records, segments;
	size_t broken; /* inputs that were cut or damaged; what stands before was kept */
};

/* Told of each broken input. */
struct cat_listener {
	void (*broken)(void *arg, const struct err *why, int64_t kept);
	void *arg;
};

/*
 * Writes the segments of each input ("-": stdin, at most once) to out.  A segment that is cut
 * is closed with an end record that says "interrupted".  0, or -1: an input cannot be opened,
 * out is one of the inputs, a write fails.
 */
int cat_traces(char *const *in, size_t n, const char *out, const struct cat_listener *l,
	       struct cat_result *r, struct err *e);

#endif
