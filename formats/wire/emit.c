#include <config.h>

#include <string.h>

#include "formats/base/clock.h"
#include "formats/wire/fault.h"
#include "formats/wire/protocol.h"

void emit(struct api *a, enum event_class cls, int32_t choice, struct str text)
{
	struct event e = {
		.t_ns = a->t_ns, .cls = cls, .choice = choice, .cum_tokens = a->cum, .text = text,
		.text_len = text.n,
		.flags = a->flags | (a->part ? EVF_PART : 0u) | (a->later_in_read ? EVF_COALESCED : 0u),
	};

	a->part++;
	a->fn(a->arg, &e);
}

void emit_empty(struct api *a, struct str what)
{
	emit(a, EV_EMPTY, 0, what);
}

void emit_finish(struct api *a, int32_t choice, struct str reason)
{
	uint64_t bit = UINT64_C(1) << (choice & 63);

	a->sum.finishes += !(a->finished & bit);
	a->finished |= bit;
	buf_clear(&a->finish);
	buf_add(&a->finish, reason.p, reason.n);
	emit(a, EV_FINISH, choice, reason);
}

void emit_fault(struct api *a, struct str data)
{
	if (!a->sum.error)
		fault_read(data, &a->error, &a->sum.error_code);
	a->sum.error = true;
	emit(a, EV_ERROR, 0, data);
}

void emit_done(struct api *a)
{
	if (!a->sum.done)
		a->sum.done_ns = a->t_ns;
	a->sum.done = true;
	emit(a, EV_DONE, 0, (struct str){ NULL, 0 });
}

static void add_quoted(struct buf *b, struct str s)
{
	buf_adds(b, "\"");
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c < 0x20)
			buf_printf(b, "\\u%04x", c);
		else
			buf_add(b, s.p + i, 1);
	}
	buf_adds(b, "\"");
}

static void emit_entry(struct api *a, int32_t index, struct str id, struct str name, struct str arguments)
{
	struct buf *b = &a->piece;

	buf_clear(b);
	buf_printf(b, "{\"index\":%d,", (int)index);
	if (id.p) {
		buf_adds(b, "\"id\":");
		add_quoted(b, id);
		buf_adds(b, ",\"type\":\"function\",");
	}
	buf_adds(b, "\"function\":{");
	if (name.p) {
		buf_adds(b, "\"name\":");
		add_quoted(b, name);
		buf_adds(b, ",");
	}
	buf_adds(b, "\"arguments\":");
	add_quoted(b, arguments);
	buf_adds(b, "}}");
	emit(a, EV_TOOL, 0, buf_str(b));
}

/* The number of the latest call at the place; of the latest of all if there is none. */
static int32_t call_at(struct api *a, int64_t place)
{
	size_t n = a->calls.n / sizeof(place), i = n;
	int64_t at;

	while (i > 0 && place != COUNT_NONE) {
		memcpy(&at, a->calls.p + --i * sizeof(at), sizeof(at));
		if (at == place)
			return (int32_t)i;
	}
	return n ? (int32_t)n - 1 : 0;
}

void emit_call(struct api *a, int64_t place, struct str id, struct str name, struct str arguments)
{
	/* Past the ceiling calls run into one another. */
	buf_add(&a->calls, &place, sizeof(place));
	emit_entry(a, call_at(a, place), id, name, arguments);
}

void emit_arguments(struct api *a, int64_t place, struct str arguments)
{
	emit_entry(a, call_at(a, place), (struct str){ NULL, 0 }, (struct str){ NULL, 0 }, arguments);
}

struct str decoded(struct str raw, struct buf *b)
{
	struct scan s;

	buf_clear(b);
	if (!raw.p)
		return raw;
	/* raw is between the quotes: give the scanner the whole string. */
	s = scan_of((struct str){ raw.p - 1, raw.n + 2 });
	scan_string(&s, b);
	return buf_str(b);
}

static void note(struct buf *b, struct str raw)
{
	if (raw.p && !b->n)
		decoded(raw, b);
}

void note_model(struct api *a, struct str raw)
{
	note(&a->model, raw);
}

void note_id(struct api *a, struct str raw)
{
	note(&a->id, raw);
}

void note_usage(struct api *a, const struct usage *n)
{
	struct usage *u = &a->sum.usage;

	u->prompt = n->prompt != COUNT_NONE ? n->prompt : u->prompt;
	u->completion = n->completion != COUNT_NONE ? n->completion : u->completion;
	u->total = n->total != COUNT_NONE ? n->total : u->total;
	u->reasoning = n->reasoning != COUNT_NONE ? n->reasoning : u->reasoning;
	u->cached = n->cached != COUNT_NONE ? n->cached : u->cached;
}

bool take_string(struct scan *s, struct buf *b)
{
	buf_clear(b);
	if (scan_peek(s) != SCAN_STRING) {
		scan_raw(s);
		return false;
	}
	scan_string(s, b);
	return !s->bad;
}

struct str take_raw_string(struct scan *s)
{
	bool is_string = scan_peek(s) == SCAN_STRING;
	struct str raw = scan_raw(s);

	if (!is_string || raw.n < 2)
		return (struct str){ NULL, 0 };
	return (struct str){ raw.p + 1, raw.n - 2 };
}

int64_t take_count(struct scan *s)
{
	int64_t v;

	if (scan_peek(s) != SCAN_NUMBER) {
		scan_raw(s);
		return COUNT_NONE;
	}
	v = scan_int(s);
	return v < 0 ? COUNT_NONE : v;
}
