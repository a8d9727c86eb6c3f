/*
 * Prefix blocks of recorded text: what shared a prefix has equal leading ids, and nobody
 * without the salt can tell from what text.  Blocks are of BLOCK_BYTES bytes of the
 * canonical prompt (record/canon.h), which stand for BLOCK_TOKENS tokens; the last one may be
 * partial.  id = the first eight bytes of HMAC-SHA-256(salt, id before || bytes); the id
 * before the first is that of the model's name.
 */
#ifndef RECORD_BLOCKS_H
#define RECORD_BLOCKS_H

#include "formats/base/digest.h"
#include "formats/trace/record.h"

enum { BLOCK_TOKENS = 512, BLOCK_BYTES = BLOCK_TOKENS * TRACE_BYTES_PER_TOKEN };

/* *ids is owned by the caller (free()).  Number of blocks; 0 for an empty prompt or without memory. */
size_t blocks_make(struct mac *salt, struct str model, struct str prompt, uint64_t **ids);

#endif
