/*
 * tokplot: traces or tables -> charts.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/opt.h"
#include "plot/chart.h"
#include "plot/gnuplot.h"
#include "plot/input.h"
#include "plot/outputs.h"
#include "plot/target.h"

static const char *out_path, *format_name, *script_dir, *size, *title;
static struct opt_strs goodput;
static struct opt_counts layers;
static bool list;

static const struct opt opts[] = {
	{ "output", 'o', OPT_STR, &out_path, "FILE",
		"picture; .png, .svg or .txt; a DIR/ takes KIND.png; - is stdout", NULL },
	{ "format", 0, OPT_STR, &format_name, "FORMAT",
		"png, svg or dumb (text); default: by the suffix, dumb on a terminal", NULL },
	{ "script", 0, OPT_STR, &script_dir, "DIR",
		"leave KIND.gp and KIND.dat in DIR, for gnuplot alone", NULL },
	{ "layers", 0, OPT_COUNTS, &layers, "TOKENS",
		"bounds of the layers of input length, as 1k,8k,24k", NULL },
	{ "goodput", 0, OPT_STRS, &goodput, "LEVEL",
		"service level in ms, as ttft:500 tpot:50 e2e:9000; drawn as a line", NULL },
	{ "size", 0, OPT_STR, &size, "WxH", "pixels, or columns and rows of text", NULL },
	{ "title", 0, OPT_STR, &title, "TEXT", "instead of the chart's own title", NULL },
	{ "list", 0, OPT_FLAG, &list, NULL, "print the kinds of chart and exit", NULL },
	{ .name = NULL },
};

static const struct opt_tool tool = {
	"tokplot", "[options] KIND[,KIND...] [TRACE|TABLE.tsv]...",
	"Draws charts of traces, or of tables of tokanalyze, with gnuplot.", opts, 0, -1,
};

enum { KINDS_MAX = 32 };

/* NULL-terminated pointers into the table of charts. */
struct kinds {
	const struct chart *v[KINDS_MAX];
	size_t n;
};

static void unknown_kind(const char *word)
{
	const char *names[KINDS_MAX] = { NULL }, *near;

	for (size_t i = 0; charts[i].name && i + 1 < KINDS_MAX; i++)
		names[i] = charts[i].name;
	near = opt_nearest(word, names);
	if (near)
		opt_usage("'%s' is no kind of chart; did you mean '%s'?", word, near);
	opt_usage("'%s' is no kind of chart; --list shows them", word);
}

static void add_kind(struct kinds *k, const struct chart *c)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i] == c)
			return;
	if (k->n < KINDS_MAX)
		k->v[k->n++] = c;
}

/* "latency,ttft" or "all". */
static void parse_kinds(char *words, struct kinds *k)
{
	char *rest = words;

	for (char *w; (w = strsep(&rest, ","));) {
		const struct chart *c = chart_named(w);

		if (strcmp(w, "all") == 0)
			for (c = charts; c->name; c++)
				add_kind(k, c);
		else if (c)
			add_kind(k, c);
		else
			unknown_kind(w);
	}
}

static void print_list(void)
{
	for (const struct chart *c = charts; c->name; c++)
		printf("%-12s%s\n", c->name, c->help);
	if (fflush(stdout) != 0)
		die(EXIT_FAILED, "standard output: cannot write");
}

static void parse_size(struct page *p)
{
	const struct format *f = p->format;
	char end;

	if (!size)
		return;
	if (sscanf(size, "%dx%d%c", &p->w, &p->h, &end) != 2)
		opt_usage("--size '%s': write WIDTHxHEIGHT, as 1200x800", size);
	if (p->w < f->min_w || p->h < f->min_h || p->w > f->max_w || p->h > f->max_h)
		opt_usage("--size '%s': %s takes %dx%d to %dx%d", size, f->name, f->min_w, f->min_h, f->max_w,
			f->max_h);
}

/* Text on a terminal takes its width, less the last column, where lines would wrap. */
static void fit_terminal(struct page *p)
{
	struct winsize w;

	if (p->w || p->format->font || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0)
		return;
	if (w.ws_col > p->format->min_w)
		p->w = w.ws_col - 1 < p->format->max_w ? w.ws_col - 1 : p->format->max_w;
	p->screen_rows = w.ws_row > 1 ? w.ws_row - 1 : 0;
}

static void parse_targets(double target_ms[MEASURES])
{
	struct err e;

	for (int m = 0; m < MEASURES; m++)
		target_ms[m] = NAN;
	for (size_t i = 0; i < goodput.n; i++)
		if (target_parse(goodput.v[i], target_ms, &e) < 0)
			opt_usage("--goodput: %s", e.msg);
}

/* "--goodput ttft:500 tpot:50": further levels look like operands. */
static bool take_target(const char *word, double target_ms[MEASURES])
{
	struct err e;

	if (goodput.n == 0 || !target_like(word) || access(word, F_OK) == 0)
		return false;
	if (target_parse(word, target_ms, &e) < 0)
		opt_usage("--goodput: %s", e.msg);
	return true;
}

static void print_lines(const char *text, const char *prefix)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		warn("%s%.*s", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* False: an input is cut; what it holds is drawn all the same. */
static bool read_inputs(char **paths, const struct input_opts *o, struct plot_data *d)
{
	struct buf remarks;
	struct err e;
	size_t n = 0;
	bool whole;

	while (paths[n])
		n++;
	buf_init(&remarks, 1 << 20);
	if (input_read(paths, n, o, d, &remarks, &e) < 0) {
		err_print(&e);
		exit(EXIT_FAILED);
	}
	whole = remarks.n == 0;
	print_lines(buf_cstr(&remarks), "");
	buf_release(&remarks);
	return whole;
}

static void print_remarks(const char *kind, struct script *s)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "%s: ", kind);
	print_lines(buf_cstr(&s->remarks), prefix);
}

static int draw_one(const struct chart *c, const struct plot_data *d, const struct chart_opts *o,
	const struct outputs *out, struct err *e)
{
	char *path = outputs_path(out, c->name);
	struct script s;
	int rc;

	if (!path)
		return err_set(e, "out of memory");
	script_init(&s);
	rc = c->draw(d, o, &s, e);
	if (rc == 0 && script_dir)
		rc = gnuplot_write_script(&s, c->name, script_dir, e);
	if (rc == 0 && !out->none)
		rc = gnuplot_draw(&s, c->name, o->page.format, path, e);
	if (rc == 0)
		print_remarks(c->name, &s);
	script_release(&s);
	free(path);
	return rc < 0 ? err_wrap(e, "%s", c->name) : 0;
}

/* All that can be drawn is drawn; one that cannot is said so and makes the exit code 1. */
static int draw_all(const struct kinds *k, const struct plot_data *d, const struct chart_opts *o,
	const struct outputs *out)
{
	int code = EXIT_OK;
	struct err e;

	if (out->directory && mkdir(out->to, 0777) < 0 && access(out->to, F_OK) < 0)
		warn("%s: cannot make the directory", out->to);
	for (size_t i = 0; i < k->n; i++)
		if (draw_one(k->v[i], d, o, out, &e) < 0) {
			err_print(&e);
			code = EXIT_FAILED;
		}
	return code;
}

/* What is left of the operands, levels taken out; "-" if that is nothing. */
static char **input_paths(int argc, char **argv, double target_ms[MEASURES])
{
	static char dash[] = "-";
	static char *from_stdin[] = { dash, NULL };
	int n = 0;

	for (int i = 0; i < argc; i++)
		if (!take_target(argv[i], target_ms))
			argv[n++] = argv[i];
	argv[n] = NULL;
	if (n > 0)
		return argv;
	if (isatty(STDIN_FILENO))
		opt_usage("no trace or table is given");
	return from_stdin;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&tool, argc, argv), code;
	struct chart_opts o = { .title = NULL };
	struct plot_data d = { 0 };
	struct input_opts in;
	struct kinds kinds = { .n = 0 };
	struct outputs out;
	struct err e;
	char **paths;

	if (list) {
		print_list();
		return EXIT_OK;
	}
	if (first == argc)
		opt_usage("say what to draw; --list shows the kinds");
	parse_kinds(argv[first], &kinds);
	if (outputs_choose(&out, out_path, format_name, script_dir != NULL, kinds.n > 1, &e) < 0)
		opt_usage("%s", e.msg);
	o.page.format = out.format;
	o.title = title;
	parse_size(&o.page);
	fit_terminal(&o.page);
	parse_targets(o.target_ms);
	paths = input_paths(argc - first - 1, argv + first + 1, o.target_ms);
	in.layers = layers;
	memcpy(in.target_ms, o.target_ms, sizeof(in.target_ms));
	code = read_inputs(paths, &in, &d) ? EXIT_OK : EXIT_FAILED;
	if (draw_all(&kinds, &d, &o, &out) != EXIT_OK)
		code = EXIT_FAILED;
	plot_data_release(&d);
	return code;
}
