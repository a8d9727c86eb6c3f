#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/output.h"
#include "formats/base/opt.h"
#include "formats/base/unit.h"

enum format { FMT_TEXT, FMT_MARKDOWN, FMT_TSV, FMT_CSV, FMT_JSON, FMT_JSONL };
static const char *const format_names[] = { "text", "markdown", "tsv", "csv", "json", "jsonl", NULL };

static struct {
	struct opt_counts layers;
	int format;
	bool per_request, include_warmup, quiet;
	const char *percentiles, *output;
	struct opt_strs goodput;
} o = { .percentiles = "50,95,99" };

static const struct opt opts[] = {
	{ "layers", 'l', OPT_COUNTS, &o.layers, "EDGES", "layer edges in input tokens, '1k,8k,24k' (default: chosen by the data)", NULL },
	{ "format", 'f', OPT_CHOICE, &o.format, "FORMAT", "text, markdown, tsv, csv, json, jsonl (default text)", format_names },
	{ "per-request", 'r', OPT_FLAG, &o.per_request, NULL, "one row or object per request, in order of sending", NULL },
	{ "metric-percentiles", 'p', OPT_STR, &o.percentiles, "LIST", "percentiles of the tables (default 50,95,99)", NULL },
	{ "goodput", 'g', OPT_STRS, &o.goodput, "LIMITS", "limits in ms, 'ttft:500,tpot:50,e2e:10000'; adds goodput and attainment", NULL },
	{ "include-warmup", 0, OPT_FLAG, &o.include_warmup, NULL, "measure warm-up requests too", NULL },
	{ "output", 'o', OPT_STR, &o.output, "FILE", "write there instead of stdout", NULL },
	{ "quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no warnings on stderr", NULL },
	{ NULL, 0, OPT_FLAG, NULL, NULL, NULL, NULL },
};

static const struct opt_tool tool = {
	"tokanalyze", "[options] [TRACE...]",
	"Turns traces into tables: latency, throughput and validity by request length and concurrency.",
	opts, 0, -1,
};

static size_t parse_percentiles(const char *list, double out[OUTPUT_PERCENTILES_MAX])
{
	size_t n = 0;

	for (const char *p = list;; p++) {
		size_t k = strcspn(p, ",");
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)(k < 31 ? k : 31), p);
		if (n == OUTPUT_PERCENTILES_MAX || unit_parse_double(word, &out[n]) < 0 || out[n] < 0 || out[n] > 100)
			opt_usage("--metric-percentiles: '%s' is not a list of percentiles like '50,95,99'", list);
		n++;
		p += k;
		if (!*p)
			return n;
	}
}

/* "ttft:500": sets one limit. */
static void parse_limit(const char *word, struct goodput *g)
{
	static const char *const names[] = { "ttft", "tpot", "e2e", NULL };
	double *const limits[] = { &g->ttft_ms, &g->tpot_ms, &g->e2e_ms };
	const char *colon = strchr(word, ':');
	double v;

	for (int i = 0; names[i] && colon; i++) {
		if (strncmp(word, names[i], (size_t)(colon - word)) != 0 || strlen(names[i]) != (size_t)(colon - word))
			continue;
		if (unit_parse_double(colon + 1, &v) < 0 || v < 0)
			break;
		*limits[i] = v;
		g->asked = true;
		return;
	}
	opt_usage("--goodput: '%s' is not a limit like 'ttft:500' (known: ttft, tpot, e2e; in ms)", word);
}

static struct goodput parse_goodput(void)
{
	struct goodput g = { NAN, NAN, NAN, false };

	for (size_t i = 0; i < o.goodput.n; i++) {
		char *copy = strdup(o.goodput.v[i]), *save = NULL;

		for (char *w = copy ? strtok_r(copy, ", ", &save) : NULL; w; w = strtok_r(NULL, ", ", &save))
			parse_limit(w, &g);
		free(copy);
	}
	return g;
}

static struct analysis_opts analysis_options(void)
{
	struct analysis_opts a = { .goodput = parse_goodput(), .include_warmup = o.include_warmup };

	a.layers.automatic = o.layers.n == 0;
	if (o.layers.n > LAYER_EDGES_MAX)
		opt_usage("--layers: at most %d edges", LAYER_EDGES_MAX);
	for (size_t i = 0; i < o.layers.n; i++) {
		if (i && o.layers.v[i] <= o.layers.v[i - 1])
			opt_usage("--layers: the edges must rise, like '1k,8k,24k'");
		a.layers.edges[a.layers.n++] = o.layers.v[i];
	}
	return a;
}

static int print_table(struct table *t, FILE *out, struct err *e)
{
	static const enum table_format formats[] = {
		[FMT_TEXT] = TABLE_FMT_TEXT, [FMT_MARKDOWN] = TABLE_FMT_MARKDOWN, [FMT_TSV] = TABLE_FMT_TSV,
		[FMT_CSV] = TABLE_FMT_CSV,
	};
	int rc = t ? table_print(t, formats[o.format], out, e) : err_set(e, "out of memory");

	table_free(t);
	return rc;
}

static int print(const struct trace_data *t, size_t n, const struct analysis *a, FILE *out, struct err *e)
{
	double pct[OUTPUT_PERCENTILES_MAX];
	size_t n_pct = parse_percentiles(o.percentiles, pct);

	if (o.per_request && o.format >= FMT_JSON)
		return output_requests(a, out, e);
	if (o.format >= FMT_JSON)
		return output_json(t, n, a, out, e);
	if (o.per_request)
		return print_table(output_request_table(a), out, e);
	return print_table(output_table(a, pct, n_pct, o.format <= FMT_MARKDOWN), out, e);
}

static int run(const struct trace_data *t, size_t n, const char *first, struct err *e)
{
	struct analysis_opts ao = analysis_options();
	struct analysis a;
	FILE *out = stdout;
	int rc;

	if (analysis_of(t, n, &ao, &a, e) < 0)
		return -1;
	if (a.responses == 0) {
		rc = err_set(e, "%s: no responses in it: it is a workload; run it with tokreplay", first);
	} else if (o.output && strcmp(o.output, "-") != 0 && !(out = fopen(o.output, "w"))) {
		rc = err_set(e, "%s: cannot create: %s", o.output, strerror(errno));
	} else {
		rc = print(t, n, &a, out, e);
		if (out != stdout && fclose(out) != 0 && rc == 0)
			rc = err_set(e, "%s: cannot write: %s", o.output, strerror(errno));
	}
	analysis_release(&a);
	return rc;
}

int main(int argc, char **argv)
{
	int at = opt_parse(&tool, argc, argv);
	static char dash[] = "-";
	char *std_in[] = { dash }, **paths = at < argc ? argv + at : std_in;
	size_t n = at < argc ? (size_t)(argc - at) : 1, loaded = 0;
	struct trace_data *t = calloc(n, sizeof(*t));
	struct err e, cut = { "" };
	int rc = t ? 0 : err_set(&e, "out of memory");

	for (size_t i = 0; i < n && rc >= 0; i++, loaded += rc >= 0) {
		rc = trace_data_load(paths[i], o.per_request, &t[i], &e);
		if (rc > 0)
			cut = e;
	}
	if (rc >= 0)
		rc = run(t, n, paths[0], &e);
	for (size_t i = 0; i < loaded; i++)
		trace_data_release(&t[i]);
	free(t);
	free(o.layers.v);
	free(o.goodput.v);
	if (*cut.msg)
		err_print(&cut);
	if (rc < 0)
		err_print(&e);
	return rc < 0 || *cut.msg ? EXIT_FAILED : EXIT_OK;
}
