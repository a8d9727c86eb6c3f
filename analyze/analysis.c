#include <config.h>

#include "analyze/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/group.h"
#include "analyze/shards.h"
#include "analyze/window.h"
#include "formats/base/quantile.h"

static const struct {
	const char *key, *title;
} names[METRICS] = {
	[M_TTFT] = { "ttft_ms", "TTFT" },
	[M_FIRST_ANSWER] = { "first_answer_ms", "first answer" },
	[M_TPOT] = { "tpot_ms", "TPOT" },
	[M_GAP] = { "gap_ms", "gap" },
	[M_E2E] = { "e2e_ms", "E2E" },
	[M_QUEUE] = { "queue_ms", "queue" },
	[M_SCHEDULED_TTFT] = { "scheduled_ttft_ms", "TTFT from schedule" },
	[M_SCHEDULED_E2E] = { "scheduled_e2e_ms", "E2E from schedule" },
};

const char *metric_key(enum metric m)
{
	return names[m].key;
}

const char *metric_title(enum metric m)
{
	return names[m].title;
}

/* By run (their clocks differ), then by sending; unsent ones last. */
static int by_sending(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	int64_t tx = on_run_clock(x, x->x->req.sent_ns), ty = on_run_clock(y, y->x->req.sent_ns);

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if ((tx == NS_NONE) != (ty == NS_NONE))
		return tx == NS_NONE ? 1 : -1;
	if (tx != ty)
		return tx < ty ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

/* place: of the trace's segments. */
static int load_trace(const struct trace_data *t, size_t trace, const struct shard_place *place,
		      struct analysis *a)
{
	for (size_t k = 0; k < t->n; k++) {
		const struct exchange *x = &t->x[k];
		struct request *r = &a->requests[a->n_requests];

		if (request_of(x, r) < 0)
			return -1;
		r->trace = trace;
		r->segment = &t->segments[x->segment];
		r->phase = trace_data_phase(t, x);
		r->run = place[x->segment].run;
		r->offset_ns = place[x->segment].offset_ns;
		a->n_requests++;
		a->responses += x->has_response;
	}
	return 0;
}

static int load_requests(const struct trace_data *t, size_t n, struct analysis *a)
{
	struct shard_place *places = shards_place(t, n);
	size_t total = 0, segments = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		total += t[i].n;
	a->requests = calloc(total ? total : 1, sizeof(*a->requests));
	if (!places || !a->requests)
		rc = -1;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = load_trace(&t[i], i, places + segments, a);
		segments += t[i].n_segments;
	}
	if (rc == 0)
		a->missing_shards = shards_missing(places, segments);
	free(places);
	if (rc < 0)
		return -1;
	qsort(a->requests, a->n_requests, sizeof(*a->requests), by_sending);
	return 0;
}

static bool measured(const struct request *r, const struct analysis_opts *o)
{
	return o->include_warmup || !r->phase || r->phase->kind != PHASE_WARMUP;
}

static int choose_layers(const struct analysis *a, const struct analysis_opts *o, struct layer_opts *l)
{
	double *lengths;
	size_t n = 0;

	*l = o->layers;
	if (!l->automatic)
		return 0;
	lengths = calloc(a->n_requests ? a->n_requests : 1, sizeof(*lengths));
	if (!lengths)
		return -1;
	for (size_t i = 0; i < a->n_requests; i++)
		if (measured(&a->requests[i], o) && a->requests[i].input_tokens != COUNT_NONE)
			lengths[n++] = (double)a->requests[i].input_tokens;
	quantile_sort(lengths, n);
	layers_choose(lengths, n, l);
	free(lengths);
	return 0;
}

static void client_health(const struct trace_data *t, size_t n, struct analysis *a)
{
	a->loop_lag_max_ms = NAN;
	*a->client_limit = '\0';
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < t[i].n_segments; k++) {
			const struct health *h = &t[i].segments[k].client;
			int64_t lag = h->loop_lag_max_ns;

			if (lag != NS_NONE && !(a->loop_lag_max_ms >= (double)lag / (double)NS_PER_MS))
				a->loop_lag_max_ms = (double)lag / (double)NS_PER_MS;
			if (!*a->client_limit)
				health_reason(h, a->client_limit, sizeof(a->client_limit));
		}
	}
}

int analysis_of(const struct trace_data *t, size_t n, const struct analysis_opts *o,
		struct analysis *out, struct err *e)
{
	struct layer_opts layers;

	*out = (struct analysis){ .n_requests = 0 };
	if (load_requests(t, n, out) < 0 || choose_layers(out, o, &layers) < 0)
		goto fail;
	for (size_t i = 0; i < out->n_requests; i++) {
		struct request *r = &out->requests[i];
		bool named = o->layers.automatic && r->phase && r->phase->layer.n;
		struct layer l = named ? layer_named(r->phase->layer.p, r->phase->layer.n) :
			layer_of(&layers, r->input_tokens);

		if (!measured(r, o))
			out->warmups++;
		else if ((r->group = group_find(out, r, &l)) < 0)
			goto fail;
	}
	group_sort(out);
	if (groups_fill(out, &o->goodput) < 0)
		goto fail;
	client_health(t, n, out);
	return 0;
fail:
	analysis_release(out);
	return err_set(e, "out of memory");
}

void analysis_release(struct analysis *a)
{
	for (size_t i = 0; i < a->n_requests; i++)
		request_release(&a->requests[i]);
	for (size_t i = 0; i < a->n_groups; i++)
		group_release(&a->groups[i]);
	free(a->requests);
	free(a->groups);
	*a = (struct analysis){ .n_requests = 0 };
}
