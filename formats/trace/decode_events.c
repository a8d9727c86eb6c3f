#include <config.h>

#include "formats/trace/decode_events.h"

#include "formats/base/clock.h"
#include "formats/trace/record.h"

/* Grows all arrays to n events at once, with defaults; the first array seen sets n. */
static int size_to(struct events *ev, size_t n, bool *sized)
{
	struct event blank = { .cum_tokens = COUNT_NONE };
	bool has_text = ev->has_text;

	if (*sized)
		return ev->n == n ? 0 : -1;
	*sized = true;
	ev->has_text = false; /* texts come as one blob, not event by event */
	for (size_t i = 0; i < n; i++)
		if (events_add(ev, &blank) < 0)
			return -1;
	ev->has_text = has_text;
	return 0;
}

void decode_events_begin(struct events *ev, bool *sized)
{
	*sized = false;
	events_clear(ev);
	ev->has_text = false;
}

static int set(struct events *ev, char key, size_t i, int64_t v)
{
	switch (key) {
	case 't':
		if (__builtin_add_overflow(i ? ev->t_ns[i - 1] : 0, v, &ev->t_ns[i]))
			return -1;
		return 0;
	case 's': ev->cls[i] = v >= 0 && v < EV_CLASSES ? (uint8_t)v : EV_OTHER; return 0;
	case 'g': ev->flags[i] = (uint8_t)v; return 0;
	case 'c': ev->choice[i] = (int32_t)v; return v < INT32_MIN || v > INT32_MAX ? -1 : 0;
	case 'm': ev->cum_tokens[i] = v; return 0;
	default: ev->text_len[i] = (uint32_t)v; return v < 0 || v > UINT32_MAX ? -1 : 0;
	}
}

/* One letter per array: the hot loop should not compare words. */
static char letter_of(const char *key)
{
	static const char *const keys[] = { "dt", "cls", "flags", "choice", "cum", NULL };
	static const char letters[] = "tsgcm";

	for (int i = 0; keys[i]; i++)
		if (strcmp(keys[i], key) == 0)
			return letters[i];
	return 'l';
}

void decode_events_field(struct mp *m, const char *key, struct events *ev, bool *sized)
{
	struct mp_value v = mp_next(m);
	char letter = letter_of(key);

	if (strcmp(key, "text") == 0) {
		ev->has_text = true;
		if ((v.type != MP_STR && v.type != MP_BIN) || buf_add(&ev->text, v.s.p, v.s.n) < 0)
			m->bad = true;
		return;
	}
	if (v.type != MP_ARRAY || v.n > TRACE_EVENTS_MAX || (size_t)(m->end - m->p) < v.n ||
	    size_to(ev, v.n, sized) < 0) {
		m->bad = true;
		return;
	}
	for (uint32_t i = 0; i < v.n; i++) {
		struct mp_value x = mp_next(m);

		if (x.type == MP_NIL && letter == 'm')
			continue;
		if (x.type != MP_INT || set(ev, letter, i, x.i) < 0) {
			m->bad = true;
			return;
		}
	}
}

int decode_events_end(struct events *ev)
{
	size_t total = 0;

	for (size_t i = 0; i < ev->n; i++)
		total += ev->text_len[i];
	return ev->has_text && total != ev->text.n ? -1 : 0;
}
