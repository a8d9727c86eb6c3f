#include <config.h>

#include "replay/answer.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/room.h"

enum { TEXT_MAX = 1 << 30 };

/* The walk over a response's events. */
struct walk {
	struct answer *a;
	int64_t cum;           /* tokens after the last count seen; COUNT_NONE: events came without one */
	size_t first_piece;    /* of the wire event at hand */
	bool in_token_event;   /* the wire event at hand has shown text */
	int64_t wire_cum;      /* cumulative count in the wire event at hand */
	bool several_choices;
};

static bool same_key(struct channel_key a, struct channel_key b)
{
	return a.choice == b.choice && a.kind == b.kind && a.call == b.call;
}

static size_t find(const struct answer *a, struct channel_key k)
{
	size_t i = 0;

	while (i < a->n_channels && !same_key(a->channels[i].key, k))
		i++;
	return i;
}

static int add_text(struct walk *w, struct channel_key k, struct str text)
{
	struct answer *a = w->a;
	size_t i = find(a, k);

	if (text.n == 0)
		return 0;
	if (i == a->n_channels) {
		if (room_for_one(&a->channels, i, &a->cap_channels, sizeof(*a->channels)) < 0)
			return -1;
		a->channels[i].key = k;
		buf_init(&a->channels[i].text, TEXT_MAX);
		a->n_channels++;
	}
	if (room_for_one(&a->pieces, a->n_pieces, &a->cap_pieces, sizeof(*a->pieces)) < 0)
		return -1;
	a->pieces[a->n_pieces++] = (struct answer_piece){
		.channel = i, .off = a->channels[i].text.n, .event = a->n_events,
		.token = COUNT_NONE, .tokens = COUNT_NONE,
	};
	if (k.kind != CH_FINISH)
		w->in_token_event = true;
	w->several_choices |= k.choice != 0;
	return buf_add(&a->channels[i].text, text.p, text.n);
}

static struct str string_of(const json_t *j)
{
	return (struct str){ json_string_value(j), json_string_length(j) };
}

static int add_tool(struct walk *w, int32_t choice, struct str raw)
{
	json_t *entry = json_loadb(raw.p ? raw.p : "", raw.n, 0, NULL);
	const json_t *index = json_object_get(entry, "index");
	const json_t *fn = json_object_get(entry, "function");
	struct str name = string_of(json_object_get(fn, "name"));
	struct channel_key k = { choice, CH_TOOL_NAME, json_integer_value(index) };
	int rc;

	/* Without an index a name begins the next call, and arguments belong to the last. */
	while (!json_is_integer(index) && find(w->a, k) < w->a->n_channels)
		k.call++;
	if (!json_is_integer(index) && k.call > 0 && name.n == 0)
		k.call--;
	rc = add_text(w, k, name);
	k.kind = CH_TOOL_ARGUMENTS;
	if (rc == 0)
		rc = add_text(w, k, string_of(json_object_get(fn, "arguments")));
	json_decref(entry);
	return rc;
}

static int add_event(struct walk *w, const struct event *e)
{
	switch (e->cls) {
	case EV_REASONING:
		return add_text(w, (struct channel_key){ e->choice, CH_REASONING, 0 }, e->text);
	case EV_CONTENT:
		return add_text(w, (struct channel_key){ e->choice, CH_CONTENT, 0 }, e->text);
	case EV_REFUSAL:
		return add_text(w, (struct channel_key){ e->choice, CH_REFUSAL, 0 }, e->text);
	case EV_FINISH:
		return add_text(w, (struct channel_key){ e->choice, CH_FINISH, 0 }, e->text);
	case EV_TOOL:
		return add_tool(w, e->choice, e->text);
	default:
		return 0;
	}
}

/* The wire event is over: its count, if it had one, says which tokens it brought. */
static void end_wire_event(struct walk *w)
{
	struct answer *a = w->a;
	bool counted = w->wire_cum != COUNT_NONE;

	for (size_t i = w->first_piece; i < a->n_pieces && counted && w->cum != COUNT_NONE; i++) {
		a->pieces[i].token = w->cum;
		a->pieces[i].tokens = w->wire_cum - w->cum;
	}
	if (counted)
		w->cum = w->wire_cum;
	else if (w->in_token_event)
		w->cum = COUNT_NONE;
	a->n_events += w->in_token_event;
	w->first_piece = a->n_pieces;
	w->in_token_event = false;
	w->wire_cum = COUNT_NONE;
}

/* As many token events as tokens: each event is one. */
static void one_token_each(struct answer *a)
{
	for (size_t i = 0; i < a->n_pieces; i++) {
		a->pieces[i].token = (int64_t)a->pieces[i].event;
		a->pieces[i].tokens = 1;
	}
}

/* A count is of all choices together: with several it does not number the tokens of one. */
static void no_token_numbers(struct answer *a)
{
	for (size_t i = 0; i < a->n_pieces; i++)
		a->pieces[i].token = a->pieces[i].tokens = COUNT_NONE;
}

int answer_of(const struct rec_response *r, struct answer *a)
{
	struct walk w = { .a = a, .wire_cum = COUNT_NONE };
	struct events_iter it = { 0 };
	struct event e;

	*a = (struct answer){ .has_text = r->events.has_text || r->events.n == 0 };
	while (events_next(&r->events, &it, &e)) {
		if (!(e.flags & EVF_PART))
			end_wire_event(&w);
		if (e.cum_tokens != COUNT_NONE)
			w.wire_cum = e.cum_tokens;
		if (add_event(&w, &e) < 0)
			return -1;
	}
	end_wire_event(&w);
	if (w.several_choices)
		no_token_numbers(a);
	else if (r->usage.completion == (int64_t)a->n_events)
		one_token_each(a);
	return 0;
}

void answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->n_channels; i++)
		buf_release(&a->channels[i].text);
	free(a->channels);
	free(a->pieces);
	*a = (struct answer){ .n_channels = 0 };
}

struct str answer_text(const struct answer *a, struct channel_key k)
{
	size_t i = find(a, k);

	return i < a->n_channels ? buf_str(&a->channels[i].text) : (struct str){ "", 0 };
}

const struct answer_piece *answer_piece_at(const struct answer *a, struct channel_key k, size_t off)
{
	size_t channel = find(a, k);

	if (channel == a->n_channels || off >= a->channels[channel].text.n)
		return NULL;
	/* The last one that begins at or before it. */
	for (size_t i = a->n_pieces; i-- > 0;)
		if (a->pieces[i].channel == channel && a->pieces[i].off <= off)
			return &a->pieces[i];
	return NULL;
}

void channel_name(struct channel_key k, char *out, size_t size)
{
	static const char *const names[] = { "reasoning", "content", "refusal", "name", "arguments",
					     "finish reason" };
	char call[32] = "", choice[32] = "";

	if (k.kind == CH_TOOL_NAME || k.kind == CH_TOOL_ARGUMENTS)
		snprintf(call, sizeof(call), "tool %" PRId64 " ", k.call);
	if (k.choice != 0)
		snprintf(choice, sizeof(choice), "choice %" PRId32 " ", k.choice);
	snprintf(out, size, "%s%s%s", choice, call, names[k.kind]);
}
