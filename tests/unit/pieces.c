/* pieces: prompts of a trace without text have the counted length, and share what the recorded ones shared. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "formats/base/rng.h"
#include "record/blocks.h"
#include "replay/pieces.h"
#include "replay/tokens.h"

enum { REQUESTS = 60, TEXT = 40000 };

struct world {
	struct source s;
	struct exchange x[REQUESTS];
	uint64_t *ids[REQUESTS];
	char *text[REQUESTS];
	size_t len[REQUESTS];
	struct mac *salt;
	struct prompt *prompt;
};

/* Random words: trees in which a turn is its parent's text and more, under a few common beginnings. */
static void grow(struct world *w, struct rng *g)
{
	static char beginnings[3][6000];

	for (int b = 0; b < 3; b++)
		for (size_t i = 0; i < sizeof(beginnings[b]); i++)
			beginnings[b][i] = (char)('a' + rng_below(g, 26));
	for (size_t i = 0; i < REQUESTS; i++) {
		size_t from = i && rng_below(g, 3) ? rng_below(g, i) : REQUESTS, n, more = 1 + rng_below(g, 3000);

		w->text[i] = malloc(TEXT);
		if (from < REQUESTS && w->len[from] + more < TEXT) {
			n = w->len[from];
			memcpy(w->text[i], w->text[from], n);
		} else {
			from = REQUESTS;
			n = rng_below(g, sizeof(beginnings[0]));
			memcpy(w->text[i], beginnings[rng_below(g, 3)], n);
		}
		for (size_t k = 0; k < more; k++)
			w->text[i][n++] = (char)('a' + rng_below(g, 26));
		w->len[i] = n;
		w->s.items[i].parent = from < REQUESTS ? (int64_t)from : -1;
	}
}

static void open_world(struct world *w, uint64_t seed)
{
	struct rng g;

	memset(w, 0, sizeof(*w));
	rng_init(&g, seed, "pieces", 0);
	w->salt = mac_create(str_of("a salt for these tests"));
	w->prompt = prompt_create();
	w->s.items = calloc(REQUESTS, sizeof(*w->s.items));
	w->s.n = REQUESTS;
	grow(w, &g);
	for (size_t i = 0; i < REQUESTS; i++) {
		struct record r;
		struct rec_request *q = &w->x[i].req;

		record_init(&r, REC_REQUEST);
		*q = r.u.request;
		q->n_blocks = blocks_make(w->salt, str_of("m"), (struct str){ w->text[i], w->len[i] }, &w->ids[i]);
		q->blocks = w->ids[i];
		q->block_tokens = BLOCK_TOKENS;
		q->prompt_bytes = (int64_t)w->len[i];
		q->inferred = true;
		w->s.items[i].x = &w->x[i];
		w->s.items[i].synthetic = true;
		/* Not four bytes a token, and not the same for all. */
		w->s.items[i].input_tokens = 40 + (int64_t)((double)w->len[i] / (4.5 + (double)(i % 5) / 10));
	}
	assert_int_equal(pieces_fill(&w->s), 0);
}

static void close_world(struct world *w)
{
	for (size_t i = 0; i < REQUESTS; i++) {
		free(w->s.items[i].pieces);
		free(w->ids[i]);
		free(w->text[i]);
	}
	free(w->s.items);
	mac_free(w->salt);
	prompt_free(w->prompt);
}

static void make(const struct world *w, size_t i, struct buf *out)
{
	const struct source_item *it = &w->s.items[i];
	struct prompt_ask a = { .tokens = it->input_tokens, .request = i, .pieces = it->pieces, .n_pieces = it->n_pieces };

	buf_clear(out);
	assert_int_equal(prompt_make(w->prompt, &a, out), 0);
}

static size_t common(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

static void lengths_and_beginnings(void **state)
{
	struct world w;
	struct buf a, b;

	(void)state;
	buf_init(&a, 1 << 24);
	buf_init(&b, 1 << 24);
	for (uint64_t seed = 0; seed < 5; seed++) {
		open_world(&w, seed);
		for (size_t i = 0; i < REQUESTS; i++) {
			const struct source_item *it = &w.s.items[i];

			make(&w, i, &a);
			assert_int_equal(tokens_count(buf_str(&a)), it->input_tokens);
			for (size_t k = 0; k < i; k++) {
				size_t was = common((struct str){ w.text[i], w.len[i] }, (struct str){ w.text[k], w.len[k] });
				double share = (double)was / (double)w.len[i], got;

				make(&w, k, &b);
				got = (double)common(buf_str(&a), buf_str(&b)) / (double)a.n;
				/* A turn shares the whole prompt of its parent; two others at least their whole blocks. */
				if (it->parent == (int64_t)k)
					assert_true(got > share - 0.15);
				/* Nothing is shared that was not; lengths are scaled, and a head is drawn of few words. */
				if (was < 100)
					assert_true(got < 0.02 + 30.0 / (double)a.n);
				assert_true(got < share + 0.15);
			}
		}
		close_world(&w);
	}
	buf_release(&a);
	buf_release(&b);
}

static void lengths_that_nobody_counted(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 1);
	for (size_t i = 0; i < REQUESTS; i++) {
		free(w.s.items[i].pieces);
		w.s.items[i].pieces = NULL;
		w.s.items[i].n_pieces = 0;
		/* Five bytes a token where it was counted. */
		w.s.items[i].input_tokens = i % 2 ? COUNT_NONE : (int64_t)w.len[i] / 5;
	}
	assert_int_equal(pieces_fill(&w.s), 0);
	assert_int_equal(w.s.estimated, REQUESTS / 2);
	for (size_t i = 1; i < REQUESTS; i += 2) {
		int64_t want = (int64_t)w.len[i] / 5;

		assert_in_range(w.s.items[i].input_tokens, want - want / 50 - 1, want + want / 50 + 2);
	}
	close_world(&w);
}

/* A recorder's next file has the same clock and goes on with its ids; another trace has its own. */
static void parents_across_files(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct segment segments[2] = { { .n_phases = 0 }, { .n_phases = 0 } };
		struct exchange x[2];
		struct source s = { .d = { .x = x, .n = 2, .segments = segments, .n_segments = 2 } };
		struct record r;
		struct err e;

		for (int i = 0; i < 2; i++) {
			record_init(&r, REC_HEADER);
			segments[i].header = r.u.header;
			segments[i].header.epoch_mono_ns = 100 + (i && other);
			segments[i].header.epoch_wall_ns = 1000;
			record_init(&r, REC_REQUEST);
			x[i] = (struct exchange){ .segment = i, .req = r.u.request };
			x[i].req.id = i;
			x[i].req.parent = i ? 0 : COUNT_NONE;
			x[i].req.body = str_of("{}");
		}
		assert_int_equal(source_fill(&s, &e), 0);
		assert_int_equal(s.items[1].parent, other ? -1 : 0);
		free(s.items);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_and_beginnings),
		cmocka_unit_test(lengths_that_nobody_counted),
		cmocka_unit_test(parents_across_files),
	};

	return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
