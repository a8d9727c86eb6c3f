#include <config.h>

#include "plot/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats.h"
#include "formats/base/clock.h"

const char *measure_name(enum measure m)
{
	static const char *const names[MEASURES] = { "ttft", "tpot", "e2e" };
	return names[m];
}

const char *level_name(enum level l)
{
	static const char *const names[LEVELS] = { "p50", "p95", "p99" };
	return names[l];
}

int level_pct(enum level l)
{
	static const int pct[LEVELS] = { PCT_50, PCT_95, PCT_99 };
	return pct[l];
}

/* Grows an array by one; capacity is the next power of two.  NULL: no memory. */
static void *grow(void *v, size_t n, size_t size)
{
	if (n & (n - 1))
		return v;
	return realloc(v, (n ? 2 * n : 1) * size);
}

struct source *plot_data_add_source(struct plot_data *d, struct str name)
{
	struct source *v = grow(d->sources, d->n_sources, sizeof(*v));

	if (!v)
		return NULL;
	d->sources = v;
	v += d->n_sources;
	*v = (struct source){ .name = strndup(name.p, name.n) };
	if (!v->name)
		return NULL;
	d->n_sources++;
	return v;
}

struct cell *plot_data_add_cell(struct plot_data *d, size_t source, struct str layer)
{
	struct cell *v = grow(d->cells, d->n_cells, sizeof(*v));
	char *name = NULL;

	if (!v)
		return NULL;
	d->cells = v;
	if (layer.p && !(name = strndup(layer.p, layer.n)))
		return NULL;
	v += d->n_cells++;
	*v = (struct cell){
		.source = source, .layer = name,
		.concurrency = COUNT_NONE, .rate_hz = NAN, .mean_concurrency = NAN,
		.output_tok_s = NAN, .request_hz = NAN, .goodput_hz = NAN,
	};
	for (int m = 0; m < MEASURES; m++)
		for (int l = 0; l < LEVELS; l++)
			v->dist[m].at[l] = NAN;
	return v;
}

void plot_data_release(struct plot_data *d)
{
	for (size_t i = 0; i < d->n_sources; i++) {
		free(d->sources[i].name);
		free(d->sources[i].model);
		free(d->sources[i].engine);
	}
	for (size_t i = 0; i < d->n_cells; i++) {
		free(d->cells[i].layer);
		for (int m = 0; m < MEASURES; m++)
			free(d->cells[i].dist[m].sorted);
	}
	free(d->sources);
	free(d->cells);
	*d = (struct plot_data){ 0 };
}

bool plot_data_layered(const struct plot_data *d, size_t source)
{
	for (size_t i = 0; i < d->n_cells; i++)
		if (d->cells[i].source == source && d->cells[i].layer)
			return true;
	return false;
}

int64_t plot_data_ok(const struct plot_data *d)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->n_cells; i++)
		if (d->cells[i].layer || !plot_data_layered(d, d->cells[i].source))
			n += d->cells[i].ok;
	return n;
}

int64_t plot_data_total(const struct plot_data *d)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->n_cells; i++)
		if (d->cells[i].layer || !plot_data_layered(d, d->cells[i].source))
			n += d->cells[i].total;
	return n;
}
