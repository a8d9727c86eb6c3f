/*
 * The prefix cache of the engine model: KV blocks of prompts, by chained block id (an id
 * stands for its block and all before it).  A block in the cache is held by requests or
 * idle; idle ones are given back oldest first.  Counts only; there is no KV.
 */
#ifndef REPLAY_PREFIX_H
#define REPLAY_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefix;

/* NULL: out of memory. */
struct prefix *prefix_create(void);
void prefix_free(struct prefix *p);

/* Holds the leading run of ids that is cached; returns its length. */
size_t prefix_hold(struct prefix *p, const uint64_t *ids, size_t n);
/* Adds a block, held once.  False: it is there already, or out of memory; nothing changed. */
bool prefix_add(struct prefix *p, uint64_t id);
/* Lets go of ids that were held or added; the deepest becomes the oldest idle one of them. */
void prefix_drop(struct prefix *p, const uint64_t *ids, size_t n);
/* Removes the oldest idle block; there must be one. */
void prefix_evict(struct prefix *p);
/* Idle blocks. */
size_t prefix_idle(const struct prefix *p);

#endif
