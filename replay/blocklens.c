#include <config.h>

#include "replay/blocklens.h"

#include <stdlib.h>

#include "formats/base/idmap.h"
#include "record/blocks.h"

static bool from_text(const struct source_item *it)
{
	const struct rec_request *q = &it->x->req;

	return it->synthetic && q->prompt_bytes > 0;
}

static bool has_blocks(const struct source_item *it)
{
	const struct rec_request *q = &it->x->req;

	return from_text(it) && q->n_blocks > 0 && q->block_tokens > 0;
}

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
	return tokens > 0 ? bytes / tokens : BLOCK_BYTES_PER_TOKEN;
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

/* Bytes of block i: all but the last are whole. */
static int64_t block_bytes(const struct rec_request *q, size_t i)
{
	int64_t whole = q->block_tokens * BLOCK_BYTES_PER_TOKEN, last;

	if (i + 1 < q->n_blocks)
		return whole;
	last = q->prompt_bytes - whole * (int64_t)(q->n_blocks - 1);
	return last > 0 && last <= whole ? last : whole;
}

/* Shares tokens among the blocks from `first` on by their bytes; each gets at least one. */
static void share(const struct rec_request *q, size_t first, int64_t tokens, int64_t *lens)
{
	int64_t all = 0, seen = 0, given = 0;

	for (size_t i = first; i < q->n_blocks; i++)
		all += block_bytes(q, i);
	for (size_t i = first; i < q->n_blocks; i++) {
		int64_t upto;

		seen += block_bytes(q, i);
		upto = (int64_t)((double)tokens * (double)seen / (double)all + 0.5);
		lens[i] = upto > given ? upto - given : 1;
		given += lens[i];
	}
}

static int fill_one(struct source_item *it, struct idmap *known)
{
	const struct rec_request *q = &it->x->req;
	int64_t *lens = calloc(q->n_blocks, sizeof(*lens)), left = it->input_tokens;
	size_t first = 0, len;

	if (!lens)
		return -1;
	it->block_lens = lens;
	while (first < q->n_blocks && idmap_find(known, q->blocks[first], &len)) {
		lens[first++] = (int64_t)len;
		left -= (int64_t)len;
	}
	share(q, first, left > 0 ? left : 0, lens);
	for (size_t i = first; i < q->n_blocks; i++)
		if (idmap_add(known, q->blocks[i], (size_t)lens[i]) < 0)
			return -1;
	return 0;
}

int blocklens_fill(struct source *s)
{
	struct idmap known = { NULL, 0, 0 };
	int rc = 0;

	estimate_missing(s);
	for (size_t i = 0; i < s->n && rc == 0; i++)
		if (has_blocks(&s->items[i]) && s->items[i].input_tokens > 0)
			rc = fill_one(&s->items[i], &known);
	idmap_release(&known);
	return rc;
}
