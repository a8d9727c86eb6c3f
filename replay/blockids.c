#include <config.h>

#include "replay/blockids.h"

#include <stdlib.h>

#include "replay/tokens.h"

void blockids_init(struct blockids *b, int64_t block_tokens)
{
	*b = (struct blockids){ .block_tokens = block_tokens,
				.hash = UINT64_C(14695981039346656037) };
}

void blockids_release(struct blockids *b)
{
	free(b->ids);
	blockids_init(b, b->block_tokens);
}

/* FNV-1a, and its length, so that "ab" "c" and "a" "bc" differ. */
static void add_bytes(struct blockids *b, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		b->hash = (b->hash ^ c[i]) * UINT64_C(1099511628211);
	b->hash = (b->hash ^ (n & 0xff)) * UINT64_C(1099511628211);
}

/* Without memory the rest of the prompt is merely not shared. */
static void end_block(struct blockids *b)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 64;
		uint64_t *ids = realloc(b->ids, cap * sizeof(*ids));

		if (!ids) {
			b->block_tokens = 0;
			return;
		}
		b->ids = ids;
		b->cap = cap;
	}
	b->ids[b->n++] = b->hash;
}

static void end_token(struct blockids *b)
{
	b->tokens++;
	if (b->block_tokens && b->tokens % b->block_tokens == 0)
		end_block(b);
}

void blockids_text(struct blockids *b, struct str text)
{
	while (text.n) {
		size_t n = tokens_next(text);

		add_bytes(b, text.p, n);
		end_token(b);
		text = (struct str){ text.p + n, text.n - n };
	}
}

void blockids_token(struct blockids *b, int64_t id)
{
	add_bytes(b, &id, sizeof(id));
	end_token(b);
}

void blockids_mark(struct blockids *b, struct str mark)
{
	b->hash = ~b->hash; /* no text does this */
	add_bytes(b, mark.p, mark.n);
}
