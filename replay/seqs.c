#include <config.h>

#include "replay/seqs.h"

#include <stdlib.h>

static bool before(const struct engine_seq *a, const struct engine_seq *b)
{
	if (a->ready_ns != b->ready_ns)
		return a->ready_ns < b->ready_ns;
	return a->number < b->number;
}

static void put(struct seq_heap *h, size_t i, struct engine_seq *s)
{
	h->v[i] = s;
	s->at = i;
}

static void sift_up(struct seq_heap *h, size_t i)
{
	struct engine_seq *s = h->v[i];

	while (i > 0 && before(s, h->v[(i - 1) / 2])) {
		put(h, i, h->v[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(h, i, s);
}

static void sift_down(struct seq_heap *h, size_t i)
{
	struct engine_seq *s = h->v[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c + 1 < h->n && before(h->v[c + 1], h->v[c]))
			c++;
		if (c >= h->n || !before(h->v[c], s))
			break;
		put(h, i, h->v[c]);
		i = c;
	}
	put(h, i, s);
}

int seq_heap_push(struct seq_heap *h, struct engine_seq *s)
{
	if (h->n == h->cap) {
		size_t cap = h->cap ? h->cap * 2 : 64;
		struct engine_seq **v = realloc(h->v, cap * sizeof(*v));

		if (!v)
			return -1;
		h->v = v;
		h->cap = cap;
	}
	put(h, h->n++, s);
	sift_up(h, h->n - 1);
	return 0;
}

struct engine_seq *seq_heap_peek(const struct seq_heap *h)
{
	return h->n ? h->v[0] : NULL;
}

void seq_heap_remove(struct seq_heap *h, struct engine_seq *s)
{
	size_t i = s->at;
	struct engine_seq *last = h->v[--h->n];

	if (last == s)
		return;
	put(h, i, last);
	sift_up(h, i);
	sift_down(h, last->at);
}

void seq_queue_push(struct seq_queue *q, struct engine_seq *s)
{
	s->prev = q->tail;
	s->next = NULL;
	if (q->tail)
		q->tail->next = s;
	else
		q->head = s;
	q->tail = s;
	q->n++;
}

void seq_queue_push_front(struct seq_queue *q, struct engine_seq *s)
{
	s->prev = NULL;
	s->next = q->head;
	if (q->head)
		q->head->prev = s;
	else
		q->tail = s;
	q->head = s;
	q->n++;
}

void seq_queue_remove(struct seq_queue *q, struct engine_seq *s)
{
	if (s->prev)
		s->prev->next = s->next;
	else
		q->head = s->next;
	if (s->next)
		s->next->prev = s->prev;
	else
		q->tail = s->prev;
	q->n--;
}
