/*
 * Requests inside the engine model, and the three places where one can be: on its way to
 * the queue (ordered by time), in the queue (first come first served), in a slot.
 */
#ifndef REPLAY_SEQS_H
#define REPLAY_SEQS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seq_place { SEQ_ARRIVING, SEQ_WAITING, SEQ_RUNNING };

struct engine_seq {
	enum seq_place place;
	size_t at;            /* index in the heap or among those that run */
	struct engine_seq *prev, *next; /* in the queue */
	int64_t ready_ns;     /* when it enters the queue */
	uint64_t number;      /* order of submission: breaks ties, names admission order */
	int64_t prompt, output; /* tokens */
	int64_t made;         /* output tokens so far */
	int64_t computed;     /* tokens of context whose KV is there */
	int64_t first_time;   /* prompt tokens that were computed at least once */
	int64_t blocks;       /* KV blocks held, shared ones included */
	uint64_t *ids;        /* owned: ids of the prompt's whole blocks */
	size_t n_ids, held;   /* of them; the first `held` are in the prefix cache, held there */
	int64_t cached;       /* prompt tokens found in the cache when first admitted */
	bool looked_up;
	int64_t chunk;        /* tokens that the step in flight computes for it; 0: none */
	void *user;
};

/* Binary heap by (ready_ns, number). */
struct seq_heap {
	struct engine_seq **v;
	size_t n, cap;
};

struct seq_queue {
	struct engine_seq *head, *tail;
	size_t n;
};

/* 0, or -1: out of memory. */
int seq_heap_push(struct seq_heap *h, struct engine_seq *s);
/* The earliest, or NULL. */
struct engine_seq *seq_heap_peek(const struct seq_heap *h);
void seq_heap_remove(struct seq_heap *h, struct engine_seq *s);

void seq_queue_push(struct seq_queue *q, struct engine_seq *s);
void seq_queue_push_front(struct seq_queue *q, struct engine_seq *s);
void seq_queue_remove(struct seq_queue *q, struct engine_seq *s);

#endif
