#include <config.h>

#include "replay/prompt.h"

#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/rng.h"
#include "replay/prompt_text.h"
#include "replay/tokens.h"

enum { HEAD_WORDS = PROMPT_HEAD_TOKENS - 1 }; /* and a full stop: 66 bits */

struct prompt {
	size_t *at;       /* offset of token i in prompt_text; n + 1 entries */
	size_t n;
	size_t *sentence; /* tokens that begin a sentence */
	size_t n_sentences;
};

static void cut(struct prompt *p)
{
	struct str rest = str_of(prompt_text);
	size_t at = 0;
	bool begins = true;

	while (rest.n) {
		size_t k = tokens_next(rest);

		p->at[p->n] = at;
		if (begins)
			p->sentence[p->n_sentences++] = p->n;
		begins = *rest.p == '.';
		p->n++;
		at += k;
		rest.p += k;
		rest.n -= k;
	}
	p->at[p->n] = at;
}

struct prompt *prompt_create(void)
{
	size_t n = (size_t)tokens_count(str_of(prompt_text));
	struct prompt *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->at = calloc(n + 1, sizeof(*p->at));
	p->sentence = calloc(n + 1, sizeof(*p->sentence));
	if (!p->at || !p->sentence) {
		prompt_free(p);
		return NULL;
	}
	cut(p);
	return p;
}

void prompt_free(struct prompt *p)
{
	if (!p)
		return;
	free(p->at);
	free(p->sentence);
	free(p);
}

/* n tokens of the fixed text from token `from` on, round and round. */
static int add_text(const struct prompt *p, size_t from, int64_t n, struct buf *out)
{
	while (n > 0) {
		size_t k = p->n - from;

		if ((int64_t)k > n)
			k = (size_t)n;
		if (buf_add(out, prompt_text + p->at[from], p->at[from + k] - p->at[from]) < 0)
			return -1;
		n -= (int64_t)k;
		from = 0;
	}
	return 0;
}

static int add_piece(const struct prompt *p, struct rng *r, int64_t tokens, struct buf *out)
{
	int64_t words = tokens < HEAD_WORDS ? tokens : HEAD_WORDS;

	for (int64_t i = 0; i < words; i++)
		if (buf_adds(out, prompt_words[rng_below(r, PROMPT_WORDS)]) < 0)
			return -1;
	tokens -= words;
	if (tokens == 0)
		return 0;
	if (buf_adds(out, ".") < 0)
		return -1;
	return add_text(p, p->sentence[rng_below(r, p->n_sentences)], tokens - 1, out);
}

size_t prompt_pieces(const struct prompt_ask *ask)
{
	if (ask->pieces)
		return ask->n_pieces;
	return ask->block_tokens > 0 ? ask->n_blocks : 0;
}

struct prompt_piece prompt_piece_at(const struct prompt_ask *ask, size_t i)
{
	return ask->pieces ? ask->pieces[i] : (struct prompt_piece){ ask->blocks[i], ask->block_tokens };
}

uint64_t prompt_copy_seed(const struct prompt_ask *ask)
{
	struct rng r;

	rng_init(&r, ask->seed, "prompt copy", ask->copy);
	return rng_u64(&r);
}

static int add_pieces(const struct prompt *p, const struct prompt_ask *ask, struct buf *out)
{
	int64_t left = ask->tokens;
	struct rng r;
	uint64_t seed = prompt_copy_seed(ask);

	for (size_t i = 0; i < prompt_pieces(ask) && left > 0; i++) {
		struct prompt_piece piece = prompt_piece_at(ask, i);
		int64_t n = left < piece.tokens ? left : piece.tokens;

		rng_init(&r, seed, "prompt block", piece.id);
		if (add_piece(p, &r, n, out) < 0)
			return -1;
		left -= n;
	}
	if (left == 0)
		return 0;
	rng_init(&r, seed, "prompt request", ask->request);
	return add_piece(p, &r, left, out);
}

int prompt_make(const struct prompt *p, const struct prompt_ask *ask, struct buf *out)
{
	size_t begin = out->n;

	if (add_pieces(p, ask, out) < 0)
		return -1;
	/* Chat templates trim; without its leading space the first word is still one token. */
	memmove(out->p + begin, out->p + begin + 1, out->n - begin - 1);
	out->n--;
	return 0;
}
