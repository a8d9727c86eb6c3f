/*
 * What of an answer is needed to know the request that goes on from it: a digest of its
 * text (first choice, white space around it aside, since clients trim) and, for texts that
 * are simply appended to, a rolling hash.  Constant memory.
 */
#ifndef RECORD_REPLY_H
#define RECORD_REPLY_H

#include "formats/base/buf.h"
#include "formats/base/digest.h"

/* Rolling hash of a text, modulo 2^61 - 1: hash(ab) follows from hash(a) and b. */
struct roll {
	uint64_t base, h;
	size_t len;
};
void roll_begin(struct roll *r, uint64_t secret);
void roll_add(struct roll *r, struct str text);

struct reply {
	struct digest *text;
	struct buf held;    /* white space that may be inside or at the end */
	bool begun;         /* there was a text */
	struct roll roll;   /* of prompt and text; not used if base is 0 */
};

/* 0 or -1: out of memory. */
int reply_init(struct reply *r);
void reply_release(struct reply *r);
void reply_add(struct reply *r, struct str text);
/* The text's digest; r can only be released afterwards. */
void reply_finish(struct reply *r, char hex[DIGEST_HEX + 1]);
/* The digest of a whole text in the same way. */
void reply_digest(struct str text, char hex[DIGEST_HEX + 1]);

#endif
