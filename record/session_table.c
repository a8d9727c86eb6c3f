#include <config.h>

#include "record/session_table.h"

#include <stddef.h>
#include <stdlib.h>

int session_table_init(struct session_table *t, size_t max)
{
	size_t buckets = 1024;

	while (buckets < max * KEY_KINDS / 2)
		buckets *= 2;
	*t = (struct session_table){ .max = max, .mask = buckets - 1 };
	t->buckets = calloc(buckets, sizeof(struct slot *));
	t->lengths = calloc(SESSION_LENGTHS, sizeof(*t->lengths));
	if (t->buckets && t->lengths)
		return 0;
	session_table_release(t);
	return -1;
}

void session_table_release(struct session_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->nodes[i]);
	free(t->nodes);
	free(t->buckets);
	free(t->lengths);
	*t = (struct session_table){ .n = 0 };
}

static struct node *node_of(struct slot *slot)
{
	return (struct node *)(void *)((char *)slot - offsetof(struct node, slots) - slot->kind * sizeof(*slot));
}

static void slot_remove(struct session_table *t, struct node *n, enum key_kind k)
{
	struct slot *slot = &n->slots[k], **at = &t->buckets[slot->key & t->mask];

	if (!slot->used)
		return;
	while (*at != slot)
		at = &(*at)->chain;
	*at = slot->chain;
	slot->used = false;
	if (k == KEY_TEXT)
		t->lengths[n->len % SESSION_LENGTHS]--;
}

void session_key(struct session_table *t, struct node *n, enum key_kind k, uint64_t key)
{
	struct slot *slot = &n->slots[k], **at = &t->buckets[key & t->mask];

	slot_remove(t, n, k);
	*slot = (struct slot){ .key = key, .chain = *at, .kind = k, .used = true };
	*at = slot;
	if (k == KEY_TEXT)
		t->lengths[n->len % SESSION_LENGTHS]++;
}

struct node *session_find(const struct session_table *t, enum key_kind k, uint64_t key)
{
	for (struct slot *slot = t->buckets[key & t->mask]; slot; slot = slot->chain)
		if (slot->key == key && slot->kind == k)
			return node_of(slot);
	return NULL;
}

struct node *session_find_answered(const struct session_table *t, enum key_kind k, uint64_t key, int seen)
{
	for (struct slot *slot = t->buckets[key & t->mask]; slot && seen > 0; slot = slot->chain) {
		struct node *n;

		if (slot->key != key || slot->kind != k)
			continue;
		n = node_of(slot);
		if (n->ended && !n->failed)
			return n;
		seen--;
	}
	return NULL;
}

static void unlink_node(struct session_table *t, struct node *n)
{
	*(n->older ? &n->older->newer : &t->oldest) = n->newer;
	*(n->newer ? &n->newer->older : &t->newest) = n->older;
}

static void link_newest(struct session_table *t, struct node *n)
{
	n->older = t->newest;
	n->newer = NULL;
	*(t->newest ? &t->newest->newer : &t->oldest) = n;
	t->newest = n;
}

void session_touch(struct session_table *t, struct node *n)
{
	unlink_node(t, n);
	link_newest(t, n);
}

static struct node *forget_oldest(struct session_table *t)
{
	struct node *n = t->oldest;

	for (int k = 0; k < KEY_KINDS; k++)
		slot_remove(t, n, (enum key_kind)k);
	unlink_node(t, n);
	n->generation++;
	return n;
}

static struct node *allocate(struct session_table *t)
{
	struct node *n;

	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 256;
		struct node **v = realloc(t->nodes, cap * sizeof(struct node *));

		if (!v)
			return NULL;
		t->nodes = v;
		t->cap = cap;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->index = (uint32_t)t->n;
	t->nodes[t->n++] = n;
	return n;
}

struct node *session_node(struct session_table *t)
{
	struct node *n = t->n >= t->max && t->oldest ? forget_oldest(t) : allocate(t);

	if (n)
		link_newest(t, n);
	return n;
}
