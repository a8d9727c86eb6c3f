/*
 * Charts of made-up data, for the golden tests of scripts and the tests of pictures:
 *   plot_sample CASE KIND FORMAT          script and data on stdout
 *   plot_sample CASE KIND FORMAT PICTURE  draws it
 * The environment variable MODEL names the model.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats.h"
#include "formats/base/quantile.h"
#include "plot/chart.h"
#include "plot/gnuplot.h"

/* Samples of a metric: n values from first in equal steps, and the percentiles of them. */
static void fill(struct dist *d, int64_t n, double first, double step)
{
	d->n = n;
	d->sorted = calloc((size_t)n + 1, sizeof(*d->sorted));
	for (int64_t i = 0; i < n; i++)
		d->sorted[i] = first + step * (double)i;
	for (int l = 0; n > 0 && l < LEVELS; l++)
		d->at[l] = quantile_linear(d->sorted, (size_t)n, pct_of(level_pct((enum level)l)));
}

static struct cell *add(struct plot_data *d, size_t source, const char *layer, int64_t order,
	int64_t concurrency, int64_t n)
{
	struct cell *c = plot_data_add_cell(d, source, str_of(layer));

	c->order = order;
	c->concurrency = concurrency;
	c->ok = n;
	c->total = n;
	c->output_tok_s = 100 * (double)concurrency;
	c->request_hz = (double)concurrency / 2;
	return c;
}

/* Two layers at 1, 8 and 32, TTFT and TPOT growing with both; the level 8 has a failure. */
static void levels(struct plot_data *d, size_t source)
{
	static const int64_t at[] = { 1, 8, 32 };

	for (int64_t layer = 0; layer < 2; layer++)
		for (int i = 0; i < 3; i++) {
			double load = (double)at[i] * (double)(layer + 1);
			struct cell *c = add(d, source, layer ? "(1024,8192]" : "(0,1024]", layer, at[i], 11);

			c->total += at[i] == 8;
			fill(&c->dist[MEASURE_TTFT], c->ok, 50 * load, 5);
			fill(&c->dist[MEASURE_TPOT], c->ok, 20 + load / 8, 0.5);
			fill(&c->dist[MEASURE_E2E], c->ok, 1000 + 100 * load, 100);
		}
}

static void make_levels(struct plot_data *d)
{
	levels(d, 0);
}

static void make_two_runs(struct plot_data *d)
{
	levels(d, 0);
	plot_data_add_source(d, str_of("second run"));
	levels(d, 1);
}

static void make_none(struct plot_data *d)
{
	add(d, 0, "(0,1024]", 0, 4, 0)->total = 5;
}

static void same(struct plot_data *d, int64_t n, double step, double ttft)
{
	struct cell *c = add(d, 0, "(0,1024]", 0, 4, n);

	fill(&c->dist[MEASURE_TTFT], n, ttft, step);
	fill(&c->dist[MEASURE_E2E], n, 900, 0);
}

static void make_one(struct plot_data *d)
{
	same(d, 1, 0, 120);
}

static void make_equal(struct plot_data *d)
{
	same(d, 5, 0, 120);
}

static void make_some_zero(struct plot_data *d)
{
	static const double ttft[] = { 0, 0, 20, 30 };

	same(d, 4, 0, 0);
	memcpy(d->cells[0].dist[MEASURE_TTFT].sorted, ttft, sizeof(ttft));
}

static void make_all_zero(struct plot_data *d)
{
	same(d, 4, 0, 0);
}

/* No TPOT at all, and no TTFT at the level between. */
static void make_gaps(struct plot_data *d)
{
	static const int64_t at[] = { 1, 2, 3 };

	for (int i = 0; i < 3; i++) {
		struct cell *c = add(d, 0, "(0,1024]", 0, at[i], 700);

		fill(&c->dist[MEASURE_TTFT], i == 1 ? 0 : 700, 100, 0.1);
		fill(&c->dist[MEASURE_E2E], 700, 1000, 1);
	}
}

static const struct {
	const char *name;
	void (*make)(struct plot_data *d);
} cases[] = {
	{ "levels", make_levels }, { "two-runs", make_two_runs }, { "none", make_none },
	{ "one", make_one }, { "equal", make_equal }, { "some-zero", make_some_zero },
	{ "all-zero", make_all_zero }, { "gaps", make_gaps },
};

static void make(struct plot_data *d, const char *name)
{
	const char *model = getenv("MODEL");
	struct source *s = plot_data_add_source(d, str_of("run"));

	s->model = strdup(model ? model : "Qwen/Qwen3_8B-it");
	s->engine = strdup("vllm 0.9");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(cases[i].name, name) == 0)
			cases[i].make(d);
}

static int output(struct script *s, const char *kind, const struct chart_opts *o, const char *picture,
	struct err *e)
{
	if (picture && gnuplot_draw(s, kind, o->page.format, picture, e) < 0)
		return -1;
	if (!picture)
		printf("%s---\n%s", buf_cstr(&s->gp), buf_cstr(&s->data));
	fputs(buf_cstr(&s->remarks), stderr);
	return 0;
}

int main(int argc, char **argv)
{
	struct chart_opts o = { .target_ms = { 500, 50, NAN } };
	struct plot_data d = { 0 };
	struct script s;
	struct err e;
	int rc;

	if (argc < 4)
		die(EXIT_USAGE, "plot_sample CASE KIND FORMAT [PICTURE]");
	err_tool("plot_sample");
	o.page.format = format_named(argv[3]);
	make(&d, argv[1]);
	script_init(&s);
	rc = chart_named(argv[2])->draw(&d, &o, &s, &e);
	if (rc == 0)
		rc = output(&s, argv[2], &o, argc > 4 ? argv[4] : NULL, &e);
	if (rc < 0)
		err_print(&e);
	script_release(&s);
	plot_data_release(&d);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
