/*
 * One line of JSON, put together piece by piece.  For dumps: bytes that are no UTF-8 come
 * out readable (U+FFFD for each wrong byte) and, under a second key, exact.
 */
#ifndef CONVERT_JSON_H
#define CONVERT_JSON_H

#include <stdint.h>

#include "formats/base/buf.h"

struct json {
	struct buf *out; /* borrowed */
	bool comma;	 /* the next element needs one in front */
	bool failed;	 /* out is full: sticky */
};

void json_open(struct json *j, const char *key,
	       char bracket); /* key NULL: in an array, or outermost */
void json_close(struct json *j, char bracket);
/* Values; each leaves the key out where the value is unknown (COUNT_NONE, NS_NONE, NaN, absent). */
void json_count(struct json *j, const char *key, int64_t v);
void json_ns(struct json *j, const char *key, int64_t v);
void json_num(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
/* "key", and "key_base64" with the exact bytes if they are no UTF-8. */
void json_text(struct json *j, const char *key, struct str s);
/* The same with a key that comes from outside. */
void json_pair(struct json *j, struct str key, struct str s);
/* "key" if the bytes are UTF-8, else only "key_base64": for bodies. */
void json_bytes(struct json *j, const char *key, struct str s);
/* Elements of an array. */
void json_item_u64(struct json *j, uint64_t v);
void json_item_text(struct json *j, struct str s);
/* A number, null if it is unknown, under a key that comes from outside. */
void json_pair_num(struct json *j, struct str key, double v);
/* As json_count() and json_num(), but null where the value is unknown. */
void json_count_or_null(struct json *j, const char *key, int64_t v);
void json_num_or_null(struct json *j, const char *key, double v);

#endif
