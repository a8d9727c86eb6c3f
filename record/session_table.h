/*
 * The requests that sessions remember: each can be found by several keys, and the one that
 * was used longest ago is forgotten first.  Private to sessions.
 */
#ifndef RECORD_SESSION_TABLE_H
#define RECORD_SESSION_TABLE_H

#include "formats/base/digest.h"

/* What a request can be found by. */
enum key_kind { KEY_LIST, KEY_REPLY, KEY_RESPONSE, KEY_CONTEXT, KEY_LABEL, KEY_TEXT, KEY_KINDS };

struct slot {
	uint64_t key;
	struct slot *chain;   /* next in its bucket, later ones first */
	enum key_kind kind;
	bool used;
};

struct node {
	struct slot slots[KEY_KINDS];
	struct node *older, *newer;
	uint32_t index, generation;
	int64_t id, turn, parent;
	uint64_t model, list; /* digests: of API and model; of its list, for the key of list and reply */
	size_t len;           /* of prompt and answer, if it has KEY_TEXT */
	uint32_t repeats;     /* earlier beginnings of the same list */
	bool kept, inferred, ended, failed;
	char label[DIGEST_HEX + 1];
};

struct session_table {
	struct node **nodes;  /* by index */
	size_t n, cap, max;
	struct node *oldest, *newest;
	struct slot **buckets;
	size_t mask;
	uint32_t *lengths;    /* how many KEY_TEXT have a length, modulo SESSION_LENGTHS */
};

enum { SESSION_LENGTHS = 1 << 16 };

/* 0, or -1: out of memory, and nothing to release. */
int session_table_init(struct session_table *t, size_t max);
void session_table_release(struct session_table *t);

/* A node without keys, the newest; perhaps one that was forgotten for it.  NULL: out of memory. */
struct node *session_node(struct session_table *t);
/* It was used: forgotten last. */
void session_touch(struct session_table *t, struct node *n);

/* The latest one added with the key, or NULL. */
struct node *session_find(const struct session_table *t, enum key_kind k, uint64_t key);
/* The latest one with the key that was answered, among the `seen` latest. */
struct node *session_find_answered(const struct session_table *t, enum key_kind k, uint64_t key, int seen);
/* A node has one key of a kind; n->len is set before KEY_TEXT is added, and only then. */
void session_key(struct session_table *t, struct node *n, enum key_kind k, uint64_t key);
/* False: no text of such a length can be found. */
static inline bool session_has_length(const struct session_table *t, size_t len)
{
	return t->lengths[len % SESSION_LENGTHS] != 0;
}

#endif
