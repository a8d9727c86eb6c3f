#include <config.h>

#include "analyze/request.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/tpot.h"
#include "analyze/validity.h"

static double ms(int64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

/* b - a in ms; NaN if one is unknown. */
static double span_ms(int64_t a, int64_t b)
{
	return a == NS_NONE || b == NS_NONE ? NAN : ms(b - a);
}

static struct choice *choice_of(struct request *r, int32_t index)
{
	struct choice *c;

	for (size_t i = 0; i < r->n_choices; i++)
		if (r->choices[i].index == index)
			return &r->choices[i];
	c = realloc(r->choices, (r->n_choices + 1) * sizeof(*c));
	if (!c)
		return NULL;
	r->choices = c;
	c[r->n_choices] = (struct choice){ .index = index, .first_ns = NS_NONE, .last_ns = NS_NONE };
	return &c[r->n_choices++];
}

/* Gaps are taken within a choice: neighbours of different choices are no neighbours. */
static int add_to_choice(struct request *r, const struct token_event *t)
{
	struct choice *c = choice_of(r, t->choice);

	if (!c)
		return -1;
	if (c->first_ns == NS_NONE)
		c->first_ns = t->t_ns;
	if (c->last_ns != NS_NONE) {
		if (c->n_gaps == c->cap_gaps) {
			size_t cap = c->cap_gaps ? 2 * c->cap_gaps : 64;
			double *g = realloc(c->gaps_ms, cap * sizeof(*g));

			if (!g)
				return -1;
			c->gaps_ms = g;
			c->cap_gaps = cap;
		}
		c->gaps_ms[c->n_gaps++] = span_ms(c->last_ns, t->t_ns);
	}
	c->last_ns = t->t_ns;
	return 0;
}

/* What the stream's token events say. */
struct stream {
	int64_t cum;          /* last cumulative count */
	int64_t first_tokens; /* of the first token event, COUNT_NONE unknown */
	bool unsure_after;    /* token events came after the last count: it is a lower bound */
};

static int walk(struct request *r, struct stream *s)
{
	struct token_walk w;
	struct token_event t;

	*s = (struct stream){ COUNT_NONE, COUNT_NONE, false };
	token_walk_init(&w, &r->x->res.events);
	while (token_walk_next(&w, &t)) {
		if (r->first_ns == NS_NONE) {
			r->first_ns = t.t_ns;
			s->first_tokens = t.tokens;
		}
		if (t.answer && r->first_answer_ns == NS_NONE)
			r->first_answer_ns = t.t_ns;
		r->last_ns = t.t_ns;
		r->token_events += !t.later_choice;
		s->unsure_after = t.tokens == COUNT_NONE;
		if (add_to_choice(r, &t) < 0)
			return -1;
	}
	s->cum = w.cum;
	return 0;
}

/*
 * N: the last cumulative completion_tokens; without usage the number of token events, marked
 * estimated.  Of a stream that was cut the last count is a lower bound if events followed it.
 */
static void output_tokens(struct request *r, const struct stream *s)
{
	int64_t said = r->x->res.usage.completion;

	if (said == COUNT_NONE)
		said = s->cum;
	r->output_tokens = said != COUNT_NONE ? said : (int64_t)r->token_events;
	r->estimated = said == COUNT_NONE || (r->status != ST_OK && s->unsure_after);
	if (said == COUNT_NONE && r->token_events == 0 && r->status != ST_OK)
		r->estimated = false, r->output_tokens = 0;
}

static void times(struct request *r)
{
	int64_t t0 = r->x->req.sent_ns, due = r->x->req.scheduled_ns;

	r->sent_ms = t0 == NS_NONE ? NAN : ms(t0);
	r->scheduled_ms = due == NS_NONE ? NAN : ms(due);
	r->ttft_ms = span_ms(t0, r->first_ns);
	r->first_answer_ms = span_ms(t0, r->first_answer_ns);
	r->last_ms = r->e2e_ms = span_ms(t0, r->last_ns);
	r->duration_ms = span_ms(t0, r->x->res.end_ns);
	r->queue_ms = span_ms(due, t0);
	r->scheduled_ttft_ms = span_ms(due, r->first_ns);
	r->scheduled_e2e_ms = span_ms(due, r->last_ns);
}

static void ending(struct request *r)
{
	const struct rec_response *s = &r->x->res;

	r->status = s->last && s->status != ST_NONE ? s->status : ST_TRUNCATED;
	if (r->status == ST_OK)
		return;
	r->error_kind = !s->last ? "interrupted" : s->error_kind.p ? s->error_kind.p : status_name(r->status);
}

int request_of(const struct exchange *x, struct request *r)
{
	struct stream s;

	*r = (struct request){
		.x = x, .group = -1, .first_ns = NS_NONE, .first_answer_ns = NS_NONE, .last_ns = NS_NONE,
	};
	ending(r);
	if (walk(r, &s) < 0) {
		request_release(r);
		return -1;
	}
	output_tokens(r, &s);
	times(r);
	r->input_tokens = x->res.usage.prompt != COUNT_NONE ? x->res.usage.prompt : x->req.input_tokens;
	r->reasoning_tokens = x->res.usage.reasoning;
	r->cached_tokens = x->res.usage.cached;
	r->tpot_ms = tpot_ms(r->first_ns, r->last_ns, r->output_tokens);
	r->tpot_corrected_ms = s.first_tokens > 1
		? tpot_corrected_ms(r->first_ns, r->last_ns, r->output_tokens, s.first_tokens) : NAN;
	r->invalid = invalid_because(r);
	r->valid = !r->invalid;
	return 0;
}

void request_release(struct request *r)
{
	for (size_t i = 0; i < r->n_choices; i++)
		free(r->choices[i].gaps_ms);
	free(r->choices);
	r->choices = NULL;
	r->n_choices = 0;
}
