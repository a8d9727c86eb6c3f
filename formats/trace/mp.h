/*
 * Reading msgpack in place: no tree is built and nothing is allocated from a declared
 * length, so that neither a long trace nor a lying one costs memory.
 */
#ifndef TRACE_MP_H
#define TRACE_MP_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/str.h"

/* Finds the end of one object whose bytes arrive bit by bit. */
struct mp_walk {
	size_t pos;       /* bytes walked */
	uint64_t pending; /* objects still to come; start with 1 */
};
enum mp_walk_result { MP_WHOLE, MP_MORE, MP_BAD };
/* p, n: all bytes so far, from the object's start.  MP_BAD: reserved byte, or an object that cannot fit in max bytes. */
enum mp_walk_result mp_walk(struct mp_walk *w, const char *p, size_t n, size_t max);

/* A cursor over one whole object. */
struct mp {
	const char *p, *end;
	bool bad; /* an object was missing, or not of the asked type */
};

enum mp_type { MP_NIL, MP_BOOL, MP_INT, MP_UINT, MP_FLOAT, MP_STR, MP_BIN, MP_ARRAY, MP_MAP, MP_EXT, MP_NONE };

struct mp_value {
	enum mp_type type;
	bool b;
	int64_t i;     /* MP_INT; for MP_UINT only where it fits */
	uint64_t u;    /* MP_UINT: above INT64_MAX */
	double f;
	struct str s;  /* MP_STR, MP_BIN */
	uint32_t n;    /* elements of MP_ARRAY, pairs of MP_MAP: their objects follow */
};

/* The next object's head; containers' elements are then read one by one.  MP_NONE at the end. */
struct mp_value mp_next(struct mp *m);
/* Skips one whole object. */
void mp_skip(struct mp *m);

#endif
