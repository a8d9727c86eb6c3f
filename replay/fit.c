#include <config.h>

#include "replay/fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/rng.h"
#include "replay/prompt_text.h"

enum { HEAD_WORDS = 11, LETTERS = 26, FILLERS = 8, TEXT_MAX = 1 << 30 };
enum { FIRSTS = PROMPT_WORDS + LETTERS };

/* Costs less than most words in any vocabulary. */
static const char *const fillers[FILLERS] = { " the", " a", " of", " and", " to", " in", " is", " s" };

struct unit {
	struct str text;       /* a word with its leading space and trailing punctuation */
	int64_t cost;          /* tokens; 0: not known yet */
};

/* A prompt's first word has no space before it, and stands for all that surrounds the text. */
struct first {
	struct str text;
	int64_t total;
};

struct fit {
	struct unit *units;    /* distinct ones: words, fillers, those of the text */
	size_t n_units;
	size_t *text;          /* the fixed text, as units */
	size_t n_text;
	size_t *sentence;      /* places in it where a sentence begins */
	size_t n_sentences;
	size_t filler[PROMPT_WORDS + FILLERS]; /* units of one token */
	size_t n_fillers;
	struct first first[FIRSTS];
	int64_t least;
	uint64_t seed;
};

static size_t unit_of(struct fit *f, struct str text)
{
	for (size_t i = 0; i < f->n_units; i++)
		if (f->units[i].text.n == text.n && memcmp(f->units[i].text.p, text.p, text.n) == 0)
			return i;
	f->units[f->n_units] = (struct unit){ text, 0 };
	return f->n_units++;
}

static size_t unit_bytes(const char *p)
{
	return 1 + strcspn(p + 1, " ");
}

static void cut(struct fit *f)
{
	bool begins = true;

	for (int i = 0; i < PROMPT_WORDS; i++)
		unit_of(f, str_of(prompt_words[i]));
	for (int i = 0; i < FILLERS; i++)
		unit_of(f, str_of(fillers[i]));
	for (const char *p = prompt_text; *p; ) {
		size_t n = unit_bytes(p);

		if (begins)
			f->sentence[f->n_sentences++] = f->n_text;
		f->text[f->n_text++] = unit_of(f, (struct str){ p, n });
		p += n;
		begins = p[-1] == '.';
	}
}

static void set_firsts(struct fit *f)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	for (int i = 0; i < PROMPT_WORDS; i++)
		f->first[i].text = str_of(prompt_words[i] + 1);
	for (int i = 0; i < LETTERS; i++)
		f->first[PROMPT_WORDS + i].text = (struct str){ letters + i, 1 };
}

static struct fit *allocate(uint64_t seed)
{
	struct fit *f = calloc(1, sizeof(*f));
	size_t most = 1;

	if (!f)
		return NULL;
	for (const char *p = prompt_text; *p; p += unit_bytes(p))
		most++;
	f->seed = seed;
	f->text = calloc(most, sizeof(*f->text));
	f->sentence = calloc(most, sizeof(*f->sentence));
	f->units = calloc(most + PROMPT_WORDS + FILLERS, sizeof(*f->units));
	if (f->text && f->sentence && f->units)
		return f;
	fit_free(f);
	return NULL;
}

void fit_free(struct fit *f)
{
	if (!f)
		return;
	free(f->text);
	free(f->sentence);
	free(f->units);
	free(f);
}

/* What is asked, and the engine that answers. */
struct asking {
	struct fit *f;
	fit_count *count;
	void *arg;
	struct buf text;
};

/* Tokens of units a to b; -1 and err. */
static int64_t group_cost(struct asking *q, size_t a, size_t b, struct err *e)
{
	const struct first *first = &q->f->first[0];
	int64_t n;

	buf_clear(&q->text);
	if (buf_add(&q->text, first->text.p, first->text.n) < 0)
		return err_set(e, "out of memory");
	for (size_t i = a; i < b; i++)
		if (buf_add(&q->text, q->f->units[i].text.p, q->f->units[i].text.n) < 0)
			return err_set(e, "out of memory");
	n = q->count(q->arg, buf_str(&q->text), e);
	if (n < 0)
		return -1;
	if (n - first->total < (int64_t)(b - a))
		return err_set(e, "%zu words have only %" PRId64 " tokens: its tokenizer does not "
			       "cut text at spaces", b - a, n - first->total);
	return n - first->total;
}

/* Units a to b have `cost` tokens in all. */
static int learn(struct asking *q, size_t a, size_t b, int64_t cost, struct err *e)
{
	size_t mid = a + (b - a) / 2;
	int64_t left;

	if (cost == (int64_t)(b - a) || b - a == 1) {
		for (size_t i = a; i < b; i++)
			q->f->units[i].cost = b - a == 1 ? cost : 1;
		return 0;
	}
	left = group_cost(q, a, mid, e);
	if (left < 0)
		return -1;
	if (cost - left < (int64_t)(b - mid))
		return err_set(e, "the tokens of words do not add up on this engine");
	return learn(q, a, mid, left, e) < 0 || learn(q, mid, b, cost - left, e) < 0 ? -1 : 0;
}

static int learn_firsts(struct asking *q, struct err *e)
{
	struct fit *f = q->f;

	for (int i = 0; i < FIRSTS; i++) {
		f->first[i].total = q->count(q->arg, f->first[i].text, e);
		if (f->first[i].total < 0)
			return -1;
		if (i == 0 || f->first[i].total < f->least)
			f->least = f->first[i].total;
	}
	return 0;
}

static int learn_all(struct asking *q, struct err *e)
{
	struct fit *f = q->f;
	int64_t all;

	if (learn_firsts(q, e) < 0)
		return -1;
	all = group_cost(q, 0, f->n_units, e);
	if (all < 0 || learn(q, 0, f->n_units, all, e) < 0)
		return -1;
	for (size_t i = 0; i < PROMPT_WORDS + FILLERS && i < f->n_units; i++)
		if (f->units[i].cost == 1)
			f->filler[f->n_fillers++] = i;
	if (f->n_fillers == 0)
		return err_set(e, "none of our words is a single token");
	return 0;
}

struct fit *fit_create(fit_count *count, void *arg, uint64_t seed, struct err *e)
{
	struct fit *f = allocate(seed);
	struct asking q = { f, count, arg, { .n = 0 } };
	int rc;

	if (!f) {
		err_set(e, "out of memory");
		return NULL;
	}
	buf_init(&q.text, TEXT_MAX);
	cut(f);
	set_firsts(f);
	rc = learn_all(&q, e);
	buf_release(&q.text);
	if (rc == 0)
		return f;
	fit_free(f);
	return NULL;
}

int64_t fit_least(const struct fit *f)
{
	return f->least;
}

static int add_unit(const struct fit *f, size_t i, int64_t *left, struct buf *out)
{
	*left -= f->units[i].cost;
	return buf_add(out, f->units[i].text.p, f->units[i].text.n);
}

/* One of the first words that fit into n tokens, by chance; the shortest one if none does. */
static const struct first *draw_first(const struct fit *f, struct rng *r, int64_t n)
{
	const struct first *least = &f->first[0];
	uint64_t fitting = 0, k;

	for (int i = 0; i < FIRSTS; i++) {
		fitting += f->first[i].total <= n;
		if (f->first[i].total < least->total)
			least = &f->first[i];
	}
	if (fitting == 0)
		return least;
	k = rng_below(r, fitting);
	for (int i = 0; i < FIRSTS; i++)
		if (f->first[i].total <= n && k-- == 0)
			return &f->first[i];
	return least;
}

static int add_head(const struct fit *f, struct rng *r, int64_t *left, struct buf *out)
{
	for (int i = 0; i < HEAD_WORDS && *left > 0; i++) {
		size_t k = rng_below(r, PROMPT_WORDS);

		if (f->units[k].cost > *left)
			k = f->filler[rng_below(r, f->n_fillers)];
		if (add_unit(f, k, left, out) < 0)
			return -1;
	}
	return 0;
}

/* Text from a sentence's begin on, round and round; words of one token where the next is too long. */
static int add_text(const struct fit *f, struct rng *r, int64_t *left, struct buf *out)
{
	size_t at = f->sentence[rng_below(r, f->n_sentences)];

	while (*left > 0) {
		size_t k = f->text[at % f->n_text];

		if (f->units[k].cost > *left)
			k = f->filler[rng_below(r, f->n_fillers)];
		else
			at++;
		if (add_unit(f, k, left, out) < 0)
			return -1;
	}
	return 0;
}

/* *left: tokens of the piece; below 0 after it, it took those from the next one. */
static int add_piece(const struct fit *f, struct rng *r, bool begins, int64_t *left, struct buf *out)
{
	if (begins) {
		const struct first *w = draw_first(f, r, *left);

		*left -= w->total;
		if (buf_add(out, w->text.p, w->text.n) < 0)
			return -1;
	}
	return add_head(f, r, left, out) < 0 || add_text(f, r, left, out) < 0 ? -1 : 0;
}

int fit_make(const struct fit *f, const struct prompt_ask *ask, struct buf *out)
{
	int64_t left = ask->tokens, owed = 0;
	uint64_t seed = prompt_copy_seed(ask);
	size_t n = prompt_pieces(ask);
	struct rng r;

	for (size_t i = 0; i <= n && (left > 0 || i == 0); i++) {
		struct prompt_piece piece = { 0, left };
		int64_t tokens;

		if (i < n)
			piece = prompt_piece_at(ask, i);
		rng_init(&r, seed, i < n ? "prompt block" : "prompt request",
			 i < n ? piece.id : ask->request);
		tokens = left < piece.tokens ? left : piece.tokens;
		left -= tokens;
		tokens -= owed;
		if (add_piece(f, &r, i == 0, &tokens, out) < 0)
			return -1;
		owed = -tokens;
	}
	return 0;
}

int fit_check(const struct fit *f, fit_count *count, void *arg, int64_t tokens, struct err *e)
{
	/* No plan has this copy. */
	struct prompt_ask ask = { .tokens = tokens, .seed = f->seed, .copy = UINT64_MAX,
				  .request = (uint64_t)tokens, .block_tokens = COUNT_NONE };
	struct buf text;
	int64_t n = -1;

	buf_init(&text, TEXT_MAX);
	if (fit_make(f, &ask, &text) < 0)
		err_set(e, "out of memory");
	else
		n = count(arg, buf_str(&text), e);
	buf_release(&text);
	if (n < 0)
		return -1;
	if (n != tokens && tokens >= f->least)
		return err_set(e, "a prompt made to have %" PRId64 " tokens has %" PRId64, tokens, n);
	return 0;
}
