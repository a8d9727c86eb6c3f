#include <config.h>

#include "record/stats.h"

#include <stdio.h>
#include <string.h>

#include "formats/base/quantile.h"

const double stats_bounds[STATS_BUCKETS - 1] = {
	0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
};

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static void observe(struct stats_histogram *h, double s)
{
	size_t i = 0;

	while (i < STATS_BUCKETS - 1 && s > stats_bounds[i])
		i++;
	h->bucket[i]++;
	h->n++;
	h->sum_s += s;
}

/* ---- the last minute ---- */

static void minute_init(struct stats_minute *m)
{
	memset(m, 0, sizeof(*m));
	for (int i = 0; i < STATS_WINDOW_S; i++)
		m->second[i] = -1;
}

static void minute_add(struct stats_minute *m, int64_t t_ns, int64_t n)
{
	int64_t second = t_ns / NS_PER_S;
	size_t at = (size_t)(second % STATS_WINDOW_S);

	if (t_ns < 0)
		return;
	if (m->second[at] != second) {
		m->second[at] = second;
		m->n[at] = 0;
	}
	m->n[at] += n;
}

int64_t stats_minute_sum(const struct stats_minute *m, int64_t now_ns, int span_s)
{
	int64_t now = now_ns / NS_PER_S, sum = 0;

	for (int i = 0; i < STATS_WINDOW_S; i++)
		if (m->second[i] >= 0 && m->second[i] < now && m->second[i] >= now - span_s)
			sum += m->n[i];
	return sum;
}

static void keep_ttft(struct stats *s, int64_t t_ns, double ttft_s)
{
	s->sample[s->n_samples++ % STATS_SAMPLES] = (struct stats_sample){ t_ns, ttft_s };
}

struct stats_ttft stats_ttft(const struct stats *s, int64_t now_ns)
{
	static const int64_t window_ns = STATS_WINDOW_S * NS_PER_S;
	size_t kept = s->n_samples < STATS_SAMPLES ? (size_t)s->n_samples : STATS_SAMPLES;
	struct stats_ttft out = { .n = 0 };
	double v[STATS_SAMPLES];

	for (size_t i = 0; i < kept; i++)
		if (s->sample[i].t_ns > now_ns - window_ns)
			v[out.n++] = s->sample[i].ttft_s;
	quantile_sort(v, out.n);
	out.p50_s = quantile_linear(v, out.n, 50);
	out.p95_s = quantile_linear(v, out.n, 95);
	return out;
}

/* ---- counters ---- */

static void count_row(struct stats *s, const char *api, const struct rec_response *r)
{
	struct stats_row *row = s->row;

	while (row < s->row + s->n_rows &&
	       (row->api != api || row->status != r->status || row->http_status != r->http_status))
		row++;
	if (row == s->row + STATS_ROWS)
		row--; /* more kinds of ends than anybody can tell apart */
	else if (row == s->row + s->n_rows)
		s->row[s->n_rows++] = (struct stats_row){ api, r->status, r->http_status, 0 };
	row->n++;
}

/* The last place is for all that have none. */
static struct stats_kind *kind_of(struct stats *s, struct str name)
{
	size_t i = 0;

	while (i < s->n_kinds && !str_is(name, s->kind[i].name))
		i++;
	if (i < s->n_kinds)
		return &s->kind[i];
	if (s->n_kinds == STATS_KINDS)
		return &s->kind[STATS_KINDS - 1];
	s->n_kinds++;
	minute_init(&s->kind[i].minute);
	snprintf(s->kind[i].name, sizeof(s->kind[i].name), "%.*s",
		 i == STATS_KINDS - 1 ? 5 : (int)name.n, i == STATS_KINDS - 1 ? "other" : name.p);
	return &s->kind[i];
}

static bool is_token(const struct event *e)
{
	return e->cls == EV_CONTENT || e->cls == EV_REASONING || e->cls == EV_TOOL || e->cls == EV_REFUSAL;
}

void stats_init(struct stats *s)
{
	memset(s, 0, sizeof(*s));
	minute_init(&s->begun);
	minute_init(&s->tokens);
}

void stats_begin(struct stats *s, struct stats_exchange *x, const char *api, bool recorded,
		 int64_t sent_ns, int64_t body_bytes)
{
	*x = (struct stats_exchange){ api, recorded, sent_ns, NS_NONE, NS_NONE };
	s->in_flight++;
	s->bytes_received += body_bytes;
	minute_add(&s->begun, sent_ns, 1);
}

void stats_events(struct stats *s, struct stats_exchange *x, const struct events *ev)
{
	struct events_iter it = { 0 };
	bool counted = false; /* a token event of the same wire event was */
	int32_t choice = 0;
	struct event e;

	while (events_next(ev, &it, &e)) {
		if (!(e.flags & EVF_PART))
			counted = false;
		if (!is_token(&e))
			continue;
		if (x->first_ns == NS_NONE) {
			x->first_ns = e.t_ns;
			keep_ttft(s, e.t_ns, seconds(e.t_ns - x->sent_ns));
		}
		x->last_ns = e.t_ns;
		if (counted && choice == e.choice)
			continue;
		counted = true;
		choice = e.choice;
		s->token_events++;
		minute_add(&s->tokens, e.t_ns, 1);
	}
}

void stats_end(struct stats *s, const struct stats_exchange *x, const struct rec_response *last)
{
	s->in_flight--;
	s->recorded += x->recorded;
	s->passed += !x->recorded;
	s->unsampled += !x->recorded && strcmp(x->api, "other") != 0;
	count_row(s, x->api, last);
	if (last->usage.prompt != COUNT_NONE)
		s->prompt_tokens += last->usage.prompt;
	if (last->usage.completion != COUNT_NONE)
		s->completion_tokens += last->usage.completion;
	if (last->status != ST_OK) {
		struct stats_kind *k = kind_of(s, last->error_kind.p ? last->error_kind : str_of(status_name(last->status)));

		k->n++;
		minute_add(&k->minute, last->end_ns, 1);
	} else if (x->first_ns != NS_NONE) {
		observe(&s->ttft, seconds(x->first_ns - x->sent_ns));
		observe(&s->e2e, seconds(x->last_ns - x->sent_ns));
	}
}
