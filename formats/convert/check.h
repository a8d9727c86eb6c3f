/*
 * Is a trace sound: whole, its records in order and of one piece.  What a reader would
 * trip over or count wrongly is a fault; what is merely unusual is none.
 */
#ifndef CONVERT_CHECK_H
#define CONVERT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"

struct check_result {
	int64_t records, segments, requests, responses, events;
	int64_t faults;
	bool cut;     /* the file just stops */
	bool damaged; /* or could not be read on: then as for cut, err says where */
};

/* Told of each fault as it is found: the record's number, from 1, and one line of text. */
struct check_listener {
	void (*fault)(void *arg, int64_t record, const char *text);
	void *arg;
};

/* 0 (r says how it went; e is set if cut or damaged), or -1: the file cannot be opened, out of memory. */
int check_trace(const char *path, const struct check_listener *l, struct check_result *r,
		struct err *e);

#endif
