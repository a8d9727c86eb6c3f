/*
 * Writing one record's map: keys whose value is absent are left out, so the number of
 * pairs is known only at the end; the map header is put in front then.
 */
#ifndef TRACE_PACK_H
#define TRACE_PACK_H

#include <msgpack.h>

#include "formats/base/clock.h"
#include "formats/trace/record.h"

struct pack {
	msgpack_sbuffer body; /* the pairs */
	msgpack_packer pk;
	uint32_t pairs;
	bool failed; /* out of memory: the body lacks something */
};

/* Ready for the first key; pack_release() in any case. */
void pack_init(struct pack *p);
void pack_release(struct pack *p);

void pack_key(struct pack *p, const char *key);
void pack_int(struct pack *p, const char *key, int64_t v);    /* left out: COUNT_NONE */
void pack_ns(struct pack *p, const char *key, int64_t t_ns);  /* left out: NS_NONE */
void pack_num(struct pack *p, const char *key, double v);     /* left out: NaN, infinite */
void pack_bool(struct pack *p, const char *key, bool v);      /* left out: false */
void pack_str(struct pack *p, const char *key, struct str s); /* left out: absent */
void pack_word(struct pack *p, const char *key, const char *s);
void pack_kvs(struct pack *p, const char *key, struct kvs k); /* left out: none */
/* msgpack str if it is valid UTF-8, else bin: no byte is ever changed. */
void pack_text(msgpack_packer *pk, struct str s);

#endif
