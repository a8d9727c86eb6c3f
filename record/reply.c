#include <config.h>

#include "record/reply.h"

/* More white space than this in a row is no longer held back: it counts as text. */
enum { HELD_MAX = 4096 };

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

__extension__ typedef unsigned __int128 wide;

void roll_begin(struct roll *r, uint64_t secret)
{
	/* Any base above the bytes; 0 means that there is none. */
	*r = (struct roll){ .base = 1024 + secret % (prime - 2048) };
}

void roll_add(struct roll *r, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		wide v = (wide)r->h * r->base + (unsigned char)text.p[i] + 1;
		uint64_t folded = (uint64_t)(v & prime) + (uint64_t)(v >> 61);

		r->h = folded >= prime ? folded - prime : folded;
	}
	r->len += text.n;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

int reply_init(struct reply *r)
{
	*r = (struct reply){ .text = digest_create() };
	buf_init(&r->held, HELD_MAX);
	return r->text ? 0 : -1;
}

void reply_release(struct reply *r)
{
	char unused[DIGEST_HEX + 1];

	if (r->text)
		digest_finish(r->text, unused);
	r->text = NULL;
	buf_release(&r->held);
}

static void take(struct reply *r, struct str text)
{
	digest_add(r->text, r->held.p, r->held.n);
	buf_clear(&r->held);
	digest_add(r->text, text.p, text.n);
	r->begun = true;
}

void reply_add(struct reply *r, struct str text)
{
	size_t end;

	if (r->roll.base)
		roll_add(&r->roll, text);
	while (!r->begun && text.n && is_space(*text.p)) {
		text.p++;
		text.n--;
	}
	for (end = text.n; end && is_space(text.p[end - 1]); end--)
		;
	if (end)
		take(r, (struct str){ text.p, end });
	if (end < text.n && buf_add(&r->held, text.p + end, text.n - end) < 0)
		take(r, (struct str){ text.p + end, text.n - end });
}

void reply_finish(struct reply *r, char hex[DIGEST_HEX + 1])
{
	digest_finish(r->text, hex);
	r->text = NULL;
}

void reply_digest(struct str text, char hex[DIGEST_HEX + 1])
{
	while (text.n && is_space(*text.p)) {
		text.p++;
		text.n--;
	}
	while (text.n && is_space(text.p[text.n - 1]))
		text.n--;
	digest_bytes(text.p, text.n, hex);
}
