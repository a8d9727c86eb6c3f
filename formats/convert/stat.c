#include <config.h>

#include "formats/convert/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "formats/base/quantile.h"
#include "formats/base/idmap.h"

const int stat_pcts[STAT_PCTS] = { 50, 90, 95, 99 };

static int64_t input_of(const struct exchange *x)
{
	return x->req.input_tokens != COUNT_NONE ? x->req.input_tokens
						 : x->res.usage.prompt;
}

static int64_t output_of(const struct exchange *x)
{
	return x->req.output_tokens != COUNT_NONE ? x->req.output_tokens
						  : x->res.usage.completion;
}

/* Segments have their own epochs; the wall clock puts them on one line. */
static int64_t arrival_of(const struct trace_data *d, const struct exchange *x)
{
	int64_t t = x->req.scheduled_ns != NS_NONE ? x->req.scheduled_ns : x->req.sent_ns;
	int64_t first = d->segments[0].header.epoch_wall_ns, sum;
	int64_t mine = d->segments[x->segment].header.epoch_wall_ns;

	if (t == NS_NONE || x->segment == 0 || first == NS_NONE || mine == NS_NONE)
		return t;
	if (__builtin_sub_overflow(mine, first, &sum) ||
	    __builtin_add_overflow(sum, t, &sum))
		return t;
	return sum;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int count_arrivals(const struct trace_data *d, struct stat *s, struct err *e)
{
	int64_t *t = malloc((d->n ? d->n : 1) * sizeof(*t));
	size_t n = 0;

	if (!t)
		return err_set(e, "out of memory");
	for (size_t i = 0; i < d->n; i++) {
		t[n] = arrival_of(d, &d->x[i]);
		n += t[n] != NS_NONE;
	}
	qsort(t, n, sizeof(*t), ascending);
	for (size_t i = 0; i < n; i++)
		s->arrivals += i == 0 || t[i] != t[i - 1];
	s->span_ns = NS_NONE;
	if (n && __builtin_sub_overflow(t[n - 1], t[0], &s->span_ns))
		s->span_ns = NS_NONE;
	free(t);
	return 0;
}

static void series(double *v, size_t n, enum stat_method method, struct stat_series *out)
{
	*out = (struct stat_series){
		.n = n, .min = NAN, .max = NAN, .mean = NAN, .sum = NAN
	};
	quantile_sort(v, n);
	for (int i = 0; i < STAT_PCTS; i++)
		out->pct[i] = method == STAT_NEAREST
				      ? quantile_nearest(v, n, stat_pcts[i])
				      : quantile_linear(v, n, stat_pcts[i]);
	if (n == 0)
		return;
	out->min = v[0];
	out->max = v[n - 1];
	out->sum = 0;
	for (size_t i = 0; i < n; i++)
		out->sum += v[i];
	out->mean = out->sum / (double)n;
}

/* Which layer a length falls into: 0 .. n_edges, and n_edges + 1 for an unknown one. */
static size_t layer_index(const struct stat_opts *o, int64_t tokens)
{
	size_t i = 0;

	if (tokens == COUNT_NONE)
		return o->n_edges + 1;
	while (i < o->n_edges && tokens > o->edges[i])
		i++;
	return i;
}

static void label(const struct stat_opts *o, size_t i, char *out, size_t size)
{
	if (i > o->n_edges)
		snprintf(out, size, "unknown");
	else if (o->n_edges == 0)
		snprintf(out, size, "[0,inf)");
	else if (i == 0)
		snprintf(out, size, "[0,%" PRId64 "]", o->edges[0]);
	else if (i == o->n_edges)
		snprintf(out, size, "(%" PRId64 ",inf)", o->edges[i - 1]);
	else
		snprintf(out, size, "(%" PRId64 ",%" PRId64 "]", o->edges[i - 1],
			 o->edges[i]);
}

/* Lengths of the requests of one layer (ALL: of every one), with v as room for all. */
enum { ALL = -1 };

static void lengths(const struct trace_data *d, const struct stat_opts *o, int layer,
		    double *v, struct stat_layer *l)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (layer != ALL && layer_index(o, input_of(&d->x[i])) != (size_t)layer)
			continue;
		l->requests++;
		if (input_of(&d->x[i]) != COUNT_NONE)
			v[n++] = (double)input_of(&d->x[i]);
	}
	series(v, n, o->method, &l->input);
	n = 0;
	for (size_t i = 0; i < d->n; i++) {
		if (layer != ALL && layer_index(o, input_of(&d->x[i])) != (size_t)layer)
			continue;
		if (output_of(&d->x[i]) != COUNT_NONE)
			v[n++] = (double)output_of(&d->x[i]);
	}
	series(v, n, o->method, &l->output);
}

static int count_lengths(const struct trace_data *d, const struct stat_opts *o,
			 struct stat *s, struct err *e)
{
	double *v = malloc((d->n ? d->n : 1) * sizeof(*v));
	struct stat_layer all = { .requests = 0 };

	s->layers = calloc(o->n_edges + 2, sizeof(*s->layers));
	if (!v || !s->layers) {
		free(v);
		return err_set(e, "out of memory");
	}
	lengths(d, o, ALL, v, &all);
	s->input = all.input;
	s->output = all.output;
	for (size_t i = 0; i < o->n_edges + 2; i++) {
		struct stat_layer *l = &s->layers[s->n_layers];

		label(o, i, l->label, sizeof(l->label));
		lengths(d, o, (int)i, v, l);
		/* The layers asked for stand there, empty or not. */
		s->n_layers += i <= o->n_edges || l->requests;
	}
	free(v);
	return 0;
}

/* One size for all requests with blocks, or the figures would add apples to pears. */
static bool same_block_size(const struct trace_data *d, struct stat *s)
{
	s->block_tokens = COUNT_NONE;
	for (size_t i = 0; i < d->n; i++) {
		const struct rec_request *q = &d->x[i].req;

		if (q->n_blocks == 0)
			continue;
		if (q->block_tokens <= 0 ||
		    (s->block_tokens != COUNT_NONE && q->block_tokens != s->block_tokens))
			return false;
		s->block_tokens = q->block_tokens;
	}
	return s->block_tokens != COUNT_NONE;
}

/* What a number of leading blocks comes to. */
static int64_t tokens_of(const struct exchange *x, size_t hit, int64_t block_tokens)
{
	int64_t tokens = input_of(x), bytes = x->req.prompt_bytes, all;

	if (__builtin_mul_overflow((int64_t)hit, block_tokens, &all))
		return tokens;
	if (bytes > 0 && tokens != COUNT_NONE && !__builtin_mul_overflow(all, TRACE_BYTES_PER_TOKEN, &all))
		return all < bytes ? (int64_t)((double)tokens * (double)all / (double)bytes + 0.5) : tokens;
	return tokens != COUNT_NONE && tokens < all ? tokens : all;
}

static int count_sessions(const struct trace_data *d, struct stat *s, struct err *e)
{
	double *turns;
	int rc = stat_sessions(d, s, &turns);

	if (rc == 0)
		series(turns, s->sessions, s->method, &s->turns);
	free(turns);
	return rc < 0 ? err_set(e, "out of memory") : 0;
}

static int add_prefix(const struct exchange *x, struct idmap *seen, struct stat *s)
{
	size_t hit = 0, ignored;

	while (hit < x->req.n_blocks && idmap_find(seen, x->req.blocks[hit], &ignored))
		hit++;
	for (size_t i = hit; i < x->req.n_blocks; i++) {
		int rc = idmap_add(seen, x->req.blocks[i], 0);

		if (rc < 0)
			return -1;
		s->distinct += rc;
	}
	s->blocks += (int64_t)x->req.n_blocks;
	s->hit_blocks += (int64_t)hit;
	s->hit_tokens += tokens_of(x, hit, s->block_tokens);
	return 0;
}

static int count_prefixes(const struct trace_data *d, struct stat *s, struct err *e)
{
	struct idmap seen = { NULL, 0, 0 };
	int64_t segment = 0;
	int rc = 0;

	s->has_prefix = same_block_size(d, s);
	for (size_t i = 0; s->has_prefix && rc == 0 && i < d->n; i++) {
		/* Ids of different sources may be equal by chance alone. */
		if (d->x[i].segment != segment)
			idmap_clear(&seen);
		segment = d->x[i].segment;
		rc = add_prefix(&d->x[i], &seen, s);
	}
	idmap_release(&seen);
	return rc < 0 ? err_set(e, "out of memory") : 0;
}

int stat_compute(const struct trace_data *d, const struct stat_opts *o, struct stat *s,
		 struct err *e)
{
	*s = (struct stat){ .requests = d->n, .method = o->method };
	for (size_t i = 0; i < d->n; i++)
		s->responses += d->x[i].has_response && d->x[i].res.last;
	if (count_arrivals(d, s, e) == 0 && count_lengths(d, o, s, e) == 0 &&
	    count_prefixes(d, s, e) == 0 && count_sessions(d, s, e) == 0)
		return 0;
	stat_release(s);
	return -1;
}

void stat_release(struct stat *s)
{
	free(s->layers);
	s->layers = NULL;
	s->n_layers = 0;
}
