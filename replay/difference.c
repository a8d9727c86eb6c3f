#include <config.h>

#include "replay/difference.h"

#include "formats/base/utf8.h"

/* Bytes of the character at s, whatever they are. */
static size_t char_len(struct str s)
{
	size_t n = utf8_decode(s, NULL);

	return n ? n : 1;
}

/* Whole characters that both texts begin with; their bytes in *bytes. */
static size_t common_chars(struct str a, struct str b, size_t *bytes)
{
	size_t at = 0, chars = 0;

	while (at < a.n && at < b.n) {
		size_t n = char_len((struct str){ a.p + at, a.n - at });

		if (n != char_len((struct str){ b.p + at, b.n - at }) ||
		    memcmp(a.p + at, b.p + at, n) != 0)
			break;
		at += n;
		chars++;
	}
	*bytes = at;
	return chars;
}

static struct str first_chars(struct str s, size_t max)
{
	size_t at = 0;

	while (at < s.n && max-- > 0)
		at += char_len((struct str){ s.p + at, s.n - at });
	return (struct str){ s.p, at };
}

/* s begins and ends between characters; steps back over continuation bytes. */
static struct str last_chars(struct str s, size_t max)
{
	size_t at = s.n;

	while (at > 0 && max-- > 0)
		do
			at--;
		while (at > 0 && ((unsigned char)s.p[at] & 0xc0) == 0x80);
	return (struct str){ s.p + at, s.n - at };
}

static struct difference_side side_of(const struct answer *a, struct channel_key k, size_t off,
				      struct arena *store)
{
	const struct answer_piece *p = answer_piece_at(a, k, off);
	struct str text = answer_text(a, k);
	struct str rest = { text.p + off, text.n - off };

	if (!p)
		return (struct difference_side){ true, a->n_events, COUNT_NONE, COUNT_NONE,
						 arena_str(store, (struct str){ "", 0 }) };
	return (struct difference_side){ false, p->event, p->token, p->tokens,
					 arena_str(store, first_chars(rest, DIFFERENCE_AFTER)) };
}

/* Is x before y?  In the answer held against first, since it is the same for all runs. */
static bool earlier(const struct difference *x, const struct difference *y)
{
	if (x->b.event != y->b.event)
		return x->b.event < y->b.event;
	return x->a.event < y->a.event;
}

static void compare_channel(const struct answer *a, const struct answer *b, struct channel_key k,
			    struct arena *store, struct likeness *out)
{
	struct str x = answer_text(a, k), y = answer_text(b, k);
	struct difference d = { .channel = k };
	size_t bytes;

	if (str_eq(x, y) || (k.kind == CH_FINISH && (x.n == 0 || y.n == 0)))
		return;
	d.chars = common_chars(x, y, &bytes);
	/* The middle of a reason says nothing. */
	if (k.kind == CH_FINISH)
		d.chars = bytes = 0;
	d.a = side_of(a, k, bytes, store);
	d.b = side_of(b, k, bytes, store);
	d.before = last_chars((struct str){ x.p, bytes }, DIFFERENCE_BEFORE);
	if (out->identical || earlier(&d, &out->first))
		out->first = d;
	out->identical = false;
}

static bool same_pieces(const struct answer *a, const struct answer *b)
{
	if (a->n_pieces != b->n_pieces)
		return false;
	for (size_t i = 0; i < a->n_pieces; i++) {
		const struct answer_piece *x = &a->pieces[i], *y = &b->pieces[i];
		const struct channel_key *k = &a->channels[x->channel].key;
		const struct channel_key *l = &b->channels[y->channel].key;

		if (x->off != y->off || x->event != y->event || k->choice != l->choice ||
		    k->kind != l->kind || k->call != l->call)
			return false;
	}
	return true;
}

void answers_compare(const struct answer *a, const struct answer *b, struct arena *store,
		     struct likeness *out)
{
	*out = (struct likeness){ .identical = true };
	for (size_t i = 0; i < a->n_channels; i++)
		compare_channel(a, b, a->channels[i].key, store, out);
	for (size_t i = 0; i < b->n_channels; i++)
		compare_channel(a, b, b->channels[i].key, store, out);
	if (!out->identical)
		out->first.before = arena_str(store, out->first.before);
	out->same_events = out->identical && same_pieces(a, b);
}
