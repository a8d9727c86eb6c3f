#include <config.h>

#include "replay/pieces.h"

#include <stdlib.h>

#include "formats/base/idmap.h"

/* The pieces of a block, where its first request has them. */
struct place {
	size_t item, first, n;
};

struct known {
	struct source *s;
	struct idmap ids;      /* block -> index of its place */
	struct place *places;
	size_t n, cap;
};

static bool from_text(const struct source_item *it)
{
	return it->synthetic && it->x->req.prompt_bytes > 0;
}

static bool has_blocks(const struct source_item *it)
{
	const struct rec_request *q = &it->x->req;

	return from_text(it) && q->n_blocks > 0 && q->block_tokens > 0 && it->input_tokens > 0;
}

/* ---- lengths that nobody counted ---- */

static double bytes_a_token(const struct source *s)
{
	double bytes = 0, tokens = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct source_item *it = &s->items[i];

		if (from_text(it) && it->input_tokens > 0) {
			bytes += (double)it->x->req.prompt_bytes;
			tokens += (double)it->input_tokens;
		}
	}
	return tokens > 0 ? bytes / tokens : TRACE_BYTES_PER_TOKEN;
}

static void estimate_missing(struct source *s)
{
	double ratio = bytes_a_token(s);

	for (size_t i = 0; i < s->n; i++) {
		struct source_item *it = &s->items[i];
		const struct rec_request *q = &it->x->req;
		int64_t bytes = q->prompt_bytes != COUNT_NONE ? q->prompt_bytes : q->body_len;

		if (!it->synthetic || it->input_tokens != COUNT_NONE || bytes == COUNT_NONE)
			continue;
		it->input_tokens = 1 + (int64_t)((double)bytes / ratio);
		s->estimated++;
	}
}

/* ---- pieces ---- */

static int64_t whole_bytes(const struct rec_request *q)
{
	return q->block_tokens * TRACE_BYTES_PER_TOKEN;
}

/* Of the last block; the others are whole. */
static int64_t last_bytes(const struct rec_request *q)
{
	int64_t n = q->prompt_bytes - whole_bytes(q) * (int64_t)(q->n_blocks - 1);

	return n > 0 && n <= whole_bytes(q) ? n : whole_bytes(q);
}

static int add_piece(struct source_item *it, size_t *cap, struct prompt_piece piece)
{
	if (it->n_pieces == *cap) {
		size_t more = *cap ? 2 * *cap : it->x->req.n_blocks + 8;
		struct prompt_piece *v = realloc(it->pieces, more * sizeof(*v));

		if (!v)
			return -1;
		it->pieces = v;
		*cap = more;
	}
	it->pieces[it->n_pieces++] = piece;
	return 0;
}

/* Appends the pieces of a block known before; their tokens are taken from *left. */
static int add_known(const struct known *k, struct source_item *it, size_t *cap, const struct place *from, int64_t *left)
{
	for (size_t i = 0; i < from->n; i++) {
		struct prompt_piece piece = k->s->items[from->item].pieces[from->first + i];

		if (add_piece(it, cap, piece) < 0)
			return -1;
		*left -= piece.tokens;
	}
	return 0;
}

static int learn(struct known *k, uint64_t block, struct place at)
{
	if (k->n == k->cap) {
		size_t cap = k->cap ? 2 * k->cap : 1024;
		struct place *v = realloc(k->places, cap * sizeof(*v));

		if (!v)
			return -1;
		k->places = v;
		k->cap = cap;
	}
	k->places[k->n] = at;
	return idmap_add(&k->ids, block, k->n++) < 0 ? -1 : 0;
}

static const struct place *find(const struct known *k, uint64_t block)
{
	size_t i;

	return idmap_find(&k->ids, block, &i) ? &k->places[i] : NULL;
}

/* The partial block at the end of the parent's prompt, if the item goes on from it at its block `at`. */
static const struct place *begun_by_parent(const struct known *k, const struct source_item *it, size_t at)
{
	const struct source_item *p = it->parent < 0 ? NULL : &k->s->items[it->parent];
	const struct rec_request *q = &it->x->req, *pq;

	if (!p || !p->n_pieces)
		return NULL;
	pq = &p->x->req;
	if (pq->n_blocks != at + 1 || pq->prompt_bytes >= q->prompt_bytes || last_bytes(pq) == whole_bytes(pq))
		return NULL;
	/* Where no whole block shows that the beginning is the same, the messages must have. */
	if (at == 0 ? !q->inferred : memcmp(pq->blocks, q->blocks, at * sizeof(*q->blocks)) != 0)
		return NULL;
	return find(k, pq->blocks[at]);
}

/* The blocks from `at` on, which no request before had; begun: bytes of the first that are there already. */
static int add_new(struct known *k, struct source_item *it, size_t *cap, size_t at, int64_t begun, int64_t left,
		   size_t begun_pieces)
{
	const struct rec_request *q = &it->x->req;
	int64_t all = (int64_t)(q->n_blocks - at - 1) * whole_bytes(q) + last_bytes(q) - begun, seen = 0, given = 0;

	for (size_t i = at; i < q->n_blocks; i++) {
		size_t head = i == at ? begun_pieces : 0;
		int64_t tokens;

		seen += (i + 1 < q->n_blocks ? whole_bytes(q) : last_bytes(q)) - (i == at ? begun : 0);
		tokens = left > 0 && all > 0 ? (int64_t)((double)left * (double)seen / (double)all + 0.5) - given : 0;
		tokens = tokens > 0 ? tokens : 1;
		given += tokens;
		if (add_piece(it, cap, (struct prompt_piece){ q->blocks[i], tokens }) < 0 ||
		    learn(k, q->blocks[i], (struct place){ (size_t)(it - k->s->items), it->n_pieces - 1 - head, head + 1 }) < 0)
			return -1;
	}
	return 0;
}

static int fill_one(struct known *k, struct source_item *it)
{
	const struct rec_request *q = &it->x->req;
	int64_t left = it->input_tokens, begun = 0;
	const struct place *from;
	size_t at = 0, cap = 0, before;

	for (; at < q->n_blocks && (from = find(k, q->blocks[at])) != NULL; at++)
		if (add_known(k, it, &cap, from, &left) < 0)
			return -1;
	if (at == q->n_blocks)
		return 0;
	before = it->n_pieces;
	from = begun_by_parent(k, it, at);
	if (from) {
		begun = last_bytes(&k->s->items[it->parent].x->req);
		if (add_known(k, it, &cap, from, &left) < 0)
			return -1;
	}
	return add_new(k, it, &cap, at, begun, left, it->n_pieces - before);
}

int pieces_fill(struct source *s)
{
	struct known k = { .s = s };
	int rc = 0;

	estimate_missing(s);
	for (size_t i = 0; i < s->n && rc == 0; i++)
		if (has_blocks(&s->items[i]))
			rc = fill_one(&k, &s->items[i]);
	idmap_release(&k.ids);
	free(k.places);
	return rc;
}
