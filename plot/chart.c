#include <config.h>

#include "plot/chart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plot/escape.h"

const struct chart charts[] = {
	{ "latency", "TTFT, TPOT and E2E percentiles by concurrency, a curve per layer", chart_latency },
	{ "throughput", "output tokens/s and requests/s by concurrency, a curve per layer", chart_throughput },
	{ "ttft", "distribution of TTFT by layer, a panel per concurrency", chart_ttft },
	{ .name = NULL },
};

const struct chart *chart_named(const char *name)
{
	for (const struct chart *c = charts; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

enum { NAME_COLS = 60, MOST_NAMES = 3 };

static const char *model_of(const struct source *s)
{
	return s->model;
}

static const char *engine_of(const struct source *s)
{
	return s->engine;
}

static bool seen_before(const struct plot_data *d, size_t i, const char *(*get)(const struct source *))
{
	for (size_t k = 0; k < i; k++)
		if (get(&d->sources[k]) && strcmp(get(&d->sources[k]), get(&d->sources[i])) == 0)
			return true;
	return false;
}

/* "model A, B and 2 more"; nothing if no name is known. */
static void list_names(struct buf *b, const struct plot_data *d, const char *what,
	const char *(*get)(const struct source *))
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_sources; i++) {
		const char *name = get(&d->sources[i]);

		if (!name || !*name || seen_before(d, i, get) || n++ >= MOST_NAMES)
			continue;
		buf_adds(b, n > 1 ? ", " : what);
		escape_clean(b, str_of(name), NAME_COLS);
	}
	if (n > MOST_NAMES)
		buf_printf(b, " and %zu more", n - MOST_NAMES);
}

void chart_head(struct figure *f, const struct plot_data *d, const struct chart_opts *o,
	const char *title, const char *method)
{
	struct buf b;

	buf_init(&b, FIGURE_TEXT - 1);
	snprintf(f->title, sizeof(f->title), "%s", o->title ? o->title : title);
	list_names(&b, d, "model ", model_of);
	if (b.n)
		figure_subtitle(f, "%s", buf_cstr(&b));
	buf_clear(&b);
	list_names(&b, d, "engine ", engine_of);
	figure_subtitle(f, "%s%s%" PRId64 " ok of %" PRId64 " requests%s", buf_cstr(&b), b.n ? "; " : "",
		plot_data_ok(d), plot_data_total(d), method);
	buf_release(&b);
}

void chart_note_unshown(struct figure *f, struct script *s, const char *what, size_t dropped, size_t of)
{
	char text[FIGURE_TEXT];

	if (dropped == 0)
		return;
	snprintf(text, sizeof(text), "%s: %zu of %zu points are <= 0 and not shown on a log axis",
		what, dropped, of);
	figure_note(f, "%s", text);
	script_remark(s, text);
}

const char *chart_time_unit(double max_ms, double *scale)
{
	*scale = max_ms < 10000 ? 1 : 1e-3;
	return max_ms < 10000 ? "ms" : "s";
}
