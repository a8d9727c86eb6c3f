#include <config.h>

#include "analyze/rounds.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/group.h"

static bool is_numbered(const struct analysis *a, ptrdiff_t group)
{
	for (size_t i = 0; i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];

		if (r->group == group && r->phase && r->phase->round != COUNT_NONE && r->phase->round > 1)
			return true;
	}
	return false;
}

static struct round *round_of(struct group *g, ptrdiff_t window, int64_t number)
{
	struct round *more;

	for (size_t i = 0; i < g->n_by_round; i++)
		if (g->by_round[i].window == window)
			return &g->by_round[i];
	more = realloc(g->by_round, (g->n_by_round + 1) * sizeof(*more));
	if (!more)
		return NULL;
	g->by_round = more;
	more[g->n_by_round] = (struct round){ .window = window, .number = number };
	return &more[g->n_by_round++];
}

static int add(struct round *k, const struct request *r)
{
	if (r->status != ST_OK)
		return 0;
	k->ok++;
	k->output_tokens += r->output_tokens;
	return group_add_samples(k->stats, r);
}

static double per(double amount, double seconds)
{
	return seconds > 0 ? amount / seconds : NAN;
}

int rounds_fill(const struct analysis *a, struct group *g, ptrdiff_t group, const struct windows *ws,
		const ptrdiff_t *window_of)
{
	if (!is_numbered(a, group))
		return 0;
	for (size_t i = 0; i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];
		struct round *k;

		if (r->group != group || !r->phase)
			continue;
		k = round_of(g, window_of[i], r->phase->round);
		if (!k || add(k, r) < 0)
			return -1;
	}
	for (size_t i = 0; i < g->n_by_round; i++) {
		struct round *k = &g->by_round[i];

		k->window_s = window_s(&ws->w[k->window]);
		k->output_throughput_tok_s = per((double)k->output_tokens, k->window_s);
		k->request_throughput_hz = per((double)k->ok, k->window_s);
		for (int m = 0; m < METRICS; m++)
			sample_summarise(&k->stats[m]);
	}
	return 0;
}

void rounds_release(struct group *g)
{
	for (size_t i = 0; i < g->n_by_round; i++)
		for (int m = 0; m < METRICS; m++)
			sample_release(&g->by_round[i].stats[m]);
	free(g->by_round);
	g->by_round = NULL;
	g->n_by_round = 0;
}

/* What is read of a round. */
struct figure {
	double (*of)(const struct round *k, const struct figure *f);
	enum metric metric;
	double p;
};

static double percentile(const struct round *k, const struct figure *f)
{
	return sample_percentile(&k->stats[f->metric], f->p);
}

static double output_throughput(const struct round *k, const struct figure *f)
{
	(void)f;
	return k->output_throughput_tok_s;
}

static double request_throughput(const struct round *k, const struct figure *f)
{
	(void)f;
	return k->request_throughput_hz;
}

/* Without memory there is no figure. */
static struct spread spread_of(const struct group *g, const struct figure *f)
{
	struct sample s = { .n = 0 };
	struct spread out = { NAN, NAN, NAN, 0 };

	for (size_t i = 0; i < g->n_by_round; i++) {
		if (sample_add(&s, f->of(&g->by_round[i], f)) < 0) {
			sample_release(&s);
			return out;
		}
	}
	sample_summarise(&s);
	out = (struct spread){ s.pct[PCT_50], s.min, s.max, s.n };
	sample_release(&s);
	return out;
}

struct spread rounds_percentile(const struct group *g, enum metric m, double p)
{
	const struct figure f = { percentile, m, p };

	return spread_of(g, &f);
}

struct spread rounds_output_throughput(const struct group *g)
{
	const struct figure f = { output_throughput, M_TTFT, 0 };

	return spread_of(g, &f);
}

struct spread rounds_request_throughput(const struct group *g)
{
	const struct figure f = { request_throughput, M_TTFT, 0 };

	return spread_of(g, &f);
}
