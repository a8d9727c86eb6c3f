#include <config.h>

#include "analyze/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/rounds.h"
#include "analyze/window.h"

static bool same_rate(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

ptrdiff_t group_find(struct analysis *a, const struct request *r, const struct layer *l)
{
	int64_t concurrency = r->phase ? r->phase->concurrency : COUNT_NONE;
	double rate = r->phase ? r->phase->rate_hz : NAN;
	struct group *g;

	for (size_t i = 0; i < a->n_groups; i++) {
		g = &a->groups[i];
		if (strcmp(g->layer.label, l->label) == 0 && g->concurrency == concurrency &&
		    same_rate(g->rate_hz, rate))
			return (ptrdiff_t)i;
	}
	g = realloc(a->groups, (a->n_groups + 1) * sizeof(*g));
	if (!g)
		return -1;
	a->groups = g;
	g[a->n_groups] = (struct group){ .layer = *l, .concurrency = concurrency, .rate_hz = rate };
	return (ptrdiff_t)a->n_groups++;
}

static int by_place(const void *a, const void *b)
{
	const struct group *x = *(const struct group *const *)a, *y = *(const struct group *const *)b;

	if (x->layer.above != y->layer.above)
		return x->layer.above < y->layer.above ? -1 : 1;
	if (strcmp(x->layer.label, y->layer.label) != 0)
		return strcmp(x->layer.label, y->layer.label);
	if (x->concurrency != y->concurrency)
		return x->concurrency < y->concurrency ? -1 : 1;
	return (x->rate_hz > y->rate_hz) - (x->rate_hz < y->rate_hz);
}

void group_sort(struct analysis *a)
{
	const struct group **order = calloc(a->n_groups ? a->n_groups : 1, sizeof(*order));
	struct group *sorted = calloc(a->n_groups ? a->n_groups : 1, sizeof(*sorted));
	size_t *place = calloc(a->n_groups ? a->n_groups : 1, sizeof(*place));

	if (order && sorted && place && a->n_groups) {
		for (size_t i = 0; i < a->n_groups; i++)
			order[i] = &a->groups[i];
		qsort(order, a->n_groups, sizeof(*order), by_place);
		for (size_t i = 0; i < a->n_groups; i++) {
			sorted[i] = *order[i];
			place[order[i] - a->groups] = i;
		}
		for (size_t i = 0; i < a->n_requests; i++)
			if (a->requests[i].group >= 0)
				a->requests[i].group = (ptrdiff_t)place[a->requests[i].group];
		memcpy(a->groups, sorted, a->n_groups * sizeof(*sorted));
	}
	free(order);
	free(sorted);
	free(place);
}

static int count_error(struct group *g, const char *kind)
{
	struct error_count *e;

	for (size_t i = 0; i < g->n_errors; i++) {
		if (strcmp(g->errors[i].kind, kind) == 0) {
			g->errors[i].n++;
			return 0;
		}
	}
	e = realloc(g->errors, (g->n_errors + 1) * sizeof(*e));
	if (!e)
		return -1;
	g->errors = e;
	e = &e[g->n_errors++];
	e->n = 1;
	snprintf(e->kind, sizeof(e->kind), "%s", kind);
	return 0;
}

int group_add_samples(struct sample stats[METRICS], const struct request *r)
{
	const double v[METRICS] = {
		[M_TTFT] = r->ttft_ms, [M_FIRST_ANSWER] = r->first_answer_ms, [M_TPOT] = r->tpot_ms,
		[M_GAP] = NAN, [M_E2E] = r->e2e_ms, [M_QUEUE] = r->queue_ms,
		[M_SCHEDULED_TTFT] = r->scheduled_ttft_ms, [M_SCHEDULED_E2E] = r->scheduled_e2e_ms,
	};

	for (int m = 0; m < METRICS; m++)
		if (sample_add(&stats[m], v[m]) < 0)
			return -1;
	for (size_t c = 0; c < r->n_choices; c++)
		for (size_t i = 0; i < r->choices[c].n_gaps; i++)
			if (sample_add(&stats[M_GAP], r->choices[c].gaps_ms[i]) < 0)
				return -1;
	return 0;
}

static int add_request(struct group *g, const struct request *r)
{
	g->total++;
	g->by_status[r->status]++;
	g->valid += r->valid;
	if (r->status != ST_OK) {
		g->partial_output_tokens += r->output_tokens;
		return count_error(g, r->error_kind);
	}
	g->input_tokens += r->input_tokens == COUNT_NONE ? 0 : r->input_tokens;
	g->output_tokens += r->output_tokens;
	g->estimated += r->estimated;
	g->bundled += !r->estimated && r->output_tokens > (int64_t)r->token_events;
	return group_add_samples(g->stats, r);
}

/* A limit that the request has no value for is not met, but for TPOT of a single token. */
static bool meets(const struct request *r, const struct goodput *g)
{
	if (r->status != ST_OK)
		return false;
	if (!isnan(g->ttft_ms) && !(r->ttft_ms <= g->ttft_ms))
		return false;
	if (!isnan(g->tpot_ms) && r->tpot_ms > g->tpot_ms)
		return false;
	return isnan(g->e2e_ms) || r->e2e_ms <= g->e2e_ms;
}

/* Events over time: gaps between them, and how long they took. */
struct span {
	size_t gaps;
	double s;
};

/* What is gathered of one group over its windows. */
struct gather {
	bool *in_window;      /* by window index */
	size_t rounds, good;
	struct span due, sent; /* of what has a schedule */
	double flight_s, window_s;
};

static int peak_in(const struct analysis *a, ptrdiff_t group, const ptrdiff_t *window_of, ptrdiff_t w,
		   size_t *peak)
{
	struct flight *f = calloc(2 * a->n_requests + 1, sizeof(*f));
	size_t n = 0, p;

	if (!f)
		return -1;
	for (size_t i = 0; i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];
		int64_t end = request_over_ns(r);

		if (r->group != group || window_of[i] != w || r->x->req.sent_ns == NS_NONE || end == NS_NONE)
			continue;
		f[n++] = (struct flight){ on_run_clock(r, r->x->req.sent_ns), 1 };
		f[n++] = (struct flight){ on_run_clock(r, end), -1 };
	}
	p = peak_concurrency(f, n);
	if (p > *peak)
		*peak = p;
	free(f);
	return 0;
}

/* First and last of times. */
struct range {
	int64_t first, last;
	size_t n;
};

static void widen(struct range *r, int64_t t)
{
	if (t == NS_NONE)
		return;
	if (r->n == 0 || t < r->first)
		r->first = t;
	if (r->n == 0 || t > r->last)
		r->last = t;
	r->n++;
}

static void add_span(struct span *s, const struct range *r)
{
	if (r->n < 2)
		return;
	s->gaps += r->n - 1;
	s->s += (double)(r->last - r->first) / (double)NS_PER_S;
}

/* The offered rate of the requests of one group in one window, (n - 1) over the span of their
 * schedule; and likewise that of their sending. */
static void schedule_in(const struct analysis *a, ptrdiff_t group, const ptrdiff_t *window_of, ptrdiff_t w,
			struct gather *k)
{
	struct range due = { .n = 0 }, sent = { .n = 0 };

	for (size_t i = 0; i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];

		if (r->group != group || window_of[i] != w || r->x->req.scheduled_ns == NS_NONE)
			continue;
		widen(&due, on_run_clock(r, r->x->req.scheduled_ns));
		widen(&sent, on_run_clock(r, r->x->req.sent_ns));
	}
	add_span(&k->due, &due);
	add_span(&k->sent, &sent);
}

static double per(double amount, double seconds)
{
	return seconds > 0 ? amount / seconds : NAN;
}

static void rates(struct group *g, const struct gather *k, const struct goodput *limits)
{
	g->rounds = k->rounds;
	g->window_s = k->window_s > 0 ? k->window_s : NAN;
	g->output_throughput_tok_s = per((double)g->output_tokens, k->window_s);
	g->request_throughput_hz = per((double)g->by_status[ST_OK], k->window_s);
	g->mean_concurrency = per(k->flight_s, k->window_s);
	g->offered_hz = per((double)k->due.gaps, k->due.s);
	g->sent_hz = per((double)k->sent.gaps, k->sent.s);
	g->goodput_hz = limits->asked ? per((double)k->good, k->window_s) : NAN;
	g->attainment = limits->asked ? (double)k->good / (double)g->total : NAN;
}

static int fill(struct analysis *a, ptrdiff_t group, const struct windows *ws, const ptrdiff_t *window_of,
		const struct goodput *limits)
{
	struct group *g = &a->groups[group];
	struct gather k = { .in_window = calloc(ws->n + 1, sizeof(bool)) };
	int rc = k.in_window ? 0 : -1;

	for (size_t i = 0; i < a->n_requests && rc == 0; i++) {
		const struct request *r = &a->requests[i];
		int64_t over = request_over_ns(r);

		if (r->group != group)
			continue;
		rc = add_request(g, r);
		k.good += meets(r, limits);
		if (r->x->req.sent_ns != NS_NONE && over != NS_NONE)
			k.flight_s += (double)(over - r->x->req.sent_ns) / (double)NS_PER_S;
		if (!k.in_window[window_of[i]]) {
			k.in_window[window_of[i]] = true;
			k.rounds++;
			k.window_s += window_s(&ws->w[window_of[i]]);
		}
	}
	for (size_t w = 0; w < ws->n && rc == 0; w++) {
		if (!k.in_window[w])
			continue;
		rc = peak_in(a, group, window_of, (ptrdiff_t)w, &g->peak_concurrency);
		schedule_in(a, group, window_of, (ptrdiff_t)w, &k);
	}
	free(k.in_window);
	if (rc == 0)
		rc = rounds_fill(a, g, group, ws, window_of);
	rates(g, &k, limits);
	for (int m = 0; m < METRICS; m++)
		sample_summarise(&g->stats[m]);
	return rc;
}

int groups_fill(struct analysis *a, const struct goodput *limits)
{
	ptrdiff_t *window_of = calloc(a->n_requests + 1, sizeof(*window_of));
	struct windows ws = { .n = 0 };
	int rc = window_of ? 0 : -1;

	for (size_t i = 0; i < a->n_requests && rc == 0; i++) {
		if (a->requests[i].group < 0)
			continue;
		window_of[i] = windows_add(&ws, &a->requests[i]);
		rc = window_of[i] < 0 ? -1 : 0;
	}
	for (size_t g = 0; g < a->n_groups && rc == 0; g++)
		rc = fill(a, (ptrdiff_t)g, &ws, window_of, limits);
	windows_release(&ws);
	free(window_of);
	return rc;
}

void group_release(struct group *g)
{
	for (int m = 0; m < METRICS; m++)
		sample_release(&g->stats[m]);
	rounds_release(g);
	free(g->errors);
}
