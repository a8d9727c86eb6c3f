#include <config.h>

#include "analyze/tokens.h"

#include "formats/base/clock.h"

enum { CHOICES_AT_ONCE = 16 };

void token_walk_init(struct token_walk *w, const struct events *ev)
{
	*w = (struct token_walk){ .ev = ev, .cum = COUNT_NONE };
	w->has_ahead = events_next(ev, &w->it, &w->ahead);
}

static bool carries_text(enum event_class c)
{
	return c == EV_CONTENT || c == EV_REASONING || c == EV_TOOL || c == EV_REFUSAL;
}

/* The token event of this choice in the wire event being gathered; a new one if there is none. */
static struct token_event *of_choice(struct token_walk *w, const struct event *e)
{
	for (size_t i = 0; i < w->n_pending; i++)
		if (w->pending[i].choice == e->choice)
			return &w->pending[i];
	if (w->n_pending == CHOICES_AT_ONCE)
		return NULL;
	w->pending[w->n_pending] = (struct token_event){
		.t_ns = e->t_ns, .choice = e->choice, .tokens = COUNT_NONE,
		.later_choice = w->n_pending > 0,
	};
	return &w->pending[w->n_pending++];
}

struct wire_event {
	bool choices, finish;
	int64_t cum; /* COUNT_NONE: no usage in it */
	struct event first;
};

/* Gathers the parts of one wire event. */
static bool gather(struct token_walk *w, struct wire_event *g)
{
	if (!w->has_ahead)
		return false;
	*g = (struct wire_event){ .cum = COUNT_NONE, .first = w->ahead };
	do {
		const struct event *e = &w->ahead;
		struct token_event *t;

		g->choices |= (e->flags & EVF_CHOICES) != 0;
		g->finish |= e->cls == EV_FINISH;
		if (e->cum_tokens != COUNT_NONE)
			g->cum = e->cum_tokens;
		if (carries_text(e->cls) && e->text_len && (t = of_choice(w, e)))
			t->answer |= e->cls == EV_CONTENT || e->cls == EV_REFUSAL;
		w->has_ahead = events_next(w->ev, &w->it, &w->ahead);
	} while (w->has_ahead && (w->ahead.flags & EVF_PART));
	return true;
}

/* A chunk without text whose cumulative count rose: tokens that show no text yet. */
static void silent_tokens(struct token_walk *w, const struct wire_event *g)
{
	bool first_usage = w->cum == COUNT_NONE;
	int64_t before = first_usage ? 0 : w->cum;

	if (w->n_pending || !g->choices || g->cum <= before || (first_usage && g->finish))
		return;
	of_choice(w, &g->first);
}

bool token_walk_next(struct token_walk *w, struct token_event *t)
{
	struct wire_event g;

	while (w->next_pending == w->n_pending) {
		w->n_pending = w->next_pending = 0;
		if (!gather(w, &g))
			return false;
		silent_tokens(w, &g);
		if (g.cum == COUNT_NONE)
			continue;
		/* With several choices in one chunk nobody says whose tokens they are. */
		if (w->n_pending == 1)
			w->pending[0].tokens = g.cum - (w->cum == COUNT_NONE ? 0 : w->cum);
		w->cum = g.cum;
	}
	*t = w->pending[w->next_pending++];
	return true;
}
