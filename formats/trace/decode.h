/* One msgpack map -> a record.  Unknown keys are skipped, keys of the wrong type are damage. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include "formats/base/buf.h"
#include "formats/base/err.h"
#include "formats/trace/record.h"

/* What a decoded record points into besides the input bytes; reused from record to record. */
struct decode_store {
	struct buf lists;     /* struct kv, struct sample_value */
	struct buf blocks;    /* uint64_t */
	struct events events;
	bool sized;           /* their number is known */
};

void decode_store_init(struct decode_store *s, size_t max);
void decode_store_release(struct decode_store *s);

/* p, n: exactly one msgpack object.  0, or -1 with the key that is wrong.  An unknown kind gives REC_UNKNOWN. */
int record_decode(const char *p, size_t n, struct decode_store *s, struct record *r, struct err *e);

#endif
