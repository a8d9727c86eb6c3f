/* tokconvert: traces from and into other forms.  This file only wires: one function per subcommand. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/opt.h"
#include "formats/convert/cat.h"
#include "formats/convert/check.h"
#include "formats/convert/dump.h"
#include "formats/convert/import.h"
#include "formats/convert/stat.h"

static const char *const stat_formats[] = {
	"text", "markdown", "tsv", "csv", "json", NULL
};
enum { STAT_JSON = TABLE_FMT_JSON };
static const char *const methods[] = { "linear", "nearest", NULL };

static struct {
	const char *from, *out;
	bool skip_bad, quiet;
	int format, method;
	struct opt_counts layers;
} opt = { .from = NULL };

static bool error_said;

/* A full disk may show only here. */
static int close_stdout(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (!error_said)
		warn("stdout: cannot write: %s", strerror(errno));
	return EXIT_FAILED;
}

static int failed(const struct err *e)
{
	fflush(stdout); /* what was found before the fault stands before it */
	err_print(e);
	error_said = true;
	return EXIT_FAILED;
}

static int run_import(int argc, char **argv, int whole_argc, char **whole_argv)
{
	const struct import_opts o = {
		.in = argv[0],
		.from = opt.from,
		.out = opt.out,
		.skip_bad = opt.skip_bad,
		.argc = whole_argc,
		.argv = whole_argv,
	};
	struct import_result r;
	struct err e;

	(void)argc;
	if (!opt.out)
		opt_usage("give -o OUT.tok ('-' for standard output)");
	if (opt.from && !import_find(opt.from))
		opt_usage("--from: %s", import_unknown(opt.from, &e));
	if (import_file(&o, &r, &e) < 0)
		return failed(&e);
	if (!opt.quiet)
		import_report(&r, stderr);
	return EXIT_OK;
}

static int run_dump(int argc, char **argv, int whole_argc, char **whole_argv)
{
	struct err e;

	(void)argc, (void)whole_argc, (void)whole_argv;
	return dump_trace(argv[0], stdout, &e) < 0 ? failed(&e) : EXIT_OK;
}

static void say_broken(void *arg, const struct err *why, int64_t kept)
{
	(void)arg;
	warn("%s; kept %" PRId64 " records of it", why->msg, kept);
}

static int run_cat(int argc, char **argv, int whole_argc, char **whole_argv)
{
	const struct cat_listener l = { say_broken, NULL };
	struct cat_result r;
	struct err e;

	(void)whole_argc, (void)whole_argv;
	if (!opt.out)
		opt_usage("give -o OUT.tok ('-' for standard output)");
	if (cat_traces(argv, (size_t)argc, opt.out, &l, &r, &e) < 0)
		return failed(&e);
	if (!opt.quiet)
		fprintf(stderr,
			"%s: %" PRId64 " records in %" PRId64 " segments from %d files\n",
			err_tool_name(), r.records, r.segments, argc);
	return r.broken ? EXIT_FAILED : EXIT_OK;
}

static void say_fault(void *arg, int64_t record, const char *text)
{
	printf("%s: record %" PRId64 ": %s\n", *(const char **)arg, record, text);
}

static int check_one(const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path, *how;
	const struct check_listener l = { say_fault, &name };
	struct check_result r;
	struct err e;

	if (check_trace(path, &l, &r, &e) < 0)
		return failed(&e);
	how = r.cut ? "cut" : r.damaged ? "damaged" : "";
	if (*how)
		failed(&e);
	printf("%s: %" PRId64 " records, %" PRId64 " segments, %" PRId64
	       " requests, %" PRId64 " responses, %" PRId64 " events: ",
	       name, r.records, r.segments, r.requests, r.responses, r.events);
	if (r.faults)
		printf("%" PRId64 " faults%s%s\n", r.faults, *how ? ", " : "", how);
	else
		puts(*how ? how : "ok");
	return r.faults || *how ? EXIT_FAILED : EXIT_OK;
}

static int run_check(int argc, char **argv, int whole_argc, char **whole_argv)
{
	int code = EXIT_OK;

	(void)whole_argc, (void)whole_argv;
	for (int i = 0; i < argc; i++)
		if (check_one(argv[i]) != EXIT_OK)
			code = EXIT_FAILED;
	return code;
}

static void stat_options(struct stat_opts *o)
{
	static const int64_t usual[] = { 1024, 8192, 24576 };

	*o = (struct stat_opts){ usual, sizeof(usual) / sizeof(*usual),
				 (enum stat_method)opt.method };
	if (!opt.layers.n)
		return;
	o->edges = opt.layers.v;
	o->n_edges = opt.layers.n;
	for (size_t i = 0; i < o->n_edges; i++)
		if (o->edges[i] <= (i ? o->edges[i - 1] : 0))
			opt_usage(
				"--layers: give rising numbers above 0, like '1k,8k,24k'");
}

static int print_stat(const struct stat *s, struct err *e)
{
	struct table *t;
	int rc;

	if (opt.format == STAT_JSON)
		return stat_print_json(s, stdout, e);
	t = stat_table(s);
	if (!t)
		return err_set(e, "out of memory");
	rc = table_print(t, (enum table_format)opt.format, stdout, e);
	table_free(t);
	return rc;
}

static int run_stat(int argc, char **argv, int whole_argc, char **whole_argv)
{
	struct trace_data d;
	struct stat_opts o;
	struct stat s;
	struct err e, cut;
	int loaded, rc;

	(void)argc, (void)whole_argc, (void)whole_argv;
	stat_options(&o);
	loaded = trace_data_load(argv[0], false, &d, &cut);
	if (loaded < 0)
		return failed(&cut);
	rc = stat_compute(&d, &o, &s, &e);
	if (rc == 0) {
		rc = print_stat(&s, &e);
		stat_release(&s);
	}
	trace_data_release(&d);
	if (rc < 0)
		return failed(&e);
	return loaded > 0 ? failed(&cut) : EXIT_OK;
}

static const struct opt import_opts[] = {
	{ "from", 'f', OPT_STR, &opt.from, "FORMAT",
	  "format of FILE: mooncake, azure (default: found by content)", NULL },
	{ "output", 'o', OPT_STR, &opt.out, "OUT", "the trace to write", NULL },
	{ "skip-bad", 0, OPT_FLAG, &opt.skip_bad, NULL,
	  "leave bad rows out and count them instead of failing", NULL },
	{ "quiet", 'q', OPT_FLAG, &opt.quiet, NULL, "say only what went wrong", NULL },
	{ 0 },
};

static const struct opt cat_opts[] = {
	{ "output", 'o', OPT_STR, &opt.out, "OUT", "the trace to write", NULL },
	{ "quiet", 'q', OPT_FLAG, &opt.quiet, NULL, "say only what went wrong", NULL },
	{ 0 },
};

static const struct opt stat_opts[] = {
	{ "layers", 0, OPT_COUNTS, &opt.layers, "LIST",
	  "upper ends of the input length layers (1k,8k,24k)", NULL },
	{ "format", 0, OPT_CHOICE, &opt.format, "FORMAT",
	  "text (default), markdown, tsv, csv or json", stat_formats },
	{ "percentile-method", 0, OPT_CHOICE, &opt.method, "METHOD",
	  "linear (default) or nearest rank", methods },
	{ 0 },
};

static const struct opt no_opts[] = { { 0 } };

/* To add a subcommand: its function above, its row here, its section in tokconvert.1. */
static const struct command {
	struct opt_tool tool;
	int (*run)(int argc, char **argv, int whole_argc, char **whole_argv);
} commands[] = {
	{ { "tokconvert import", "[options] FILE -o OUT.tok",
	    "Makes a trace of a public workload format.", import_opts, 1, 1 },
	  run_import },
	{ { "tokconvert dump", "FILE", "Prints a trace as JSON, one object per record.",
	    no_opts, 1, 1 },
	  run_dump },
	{ { "tokconvert cat", "FILE... -o OUT.tok",
	    "Joins traces; keeps what is readable of a cut one.", cat_opts, 1, -1 },
	  run_cat },
	{ { "tokconvert check", "FILE...", "Finds what is wrong with a trace.", no_opts,
	    1, -1 },
	  run_check },
	{ { "tokconvert stat", "[options] FILE",
	    "Counts requests, arrivals, lengths and shared prefixes.", stat_opts, 1, 1 },
	  run_stat },
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static const char *word_of(const struct command *c)
{
	return strchr(c->tool.name, ' ') + 1;
}

static const struct command *find_command(const char *word)
{
	const char *names[COMMANDS + 1] = { NULL }, *near;

	for (size_t i = 0; i < COMMANDS; i++) {
		names[i] = word_of(&commands[i]);
		if (strcmp(word, names[i]) == 0)
			return &commands[i];
	}
	near = opt_nearest(word, names);
	if (near)
		opt_usage("unknown subcommand '%s'; did you mean '%s'?", word, near);
	opt_usage("unknown subcommand '%s'; known: import, dump, cat, check, stat", word);
}

static int print_help(void)
{
	puts("usage: tokconvert SUBCOMMAND [options] FILE...\n"
	     "Traces from and into other forms.\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-7s %-27s %s\n", word_of(&commands[i]),
		       commands[i].tool.synopsis, commands[i].tool.summary);
	puts("\n      --help                  show this, or after a subcommand its options, and exit\n"
	     "      --version               show the version and exit");
	return close_stdout(EXIT_OK);
}

int main(int argc, char **argv)
{
	const struct command *c;
	int first, code;

	err_tool("tokconvert");
	if (argc < 2)
		opt_usage("missing subcommand; known: import, dump, cat, check, stat");
	if (strcmp(argv[1], "--help") == 0)
		return print_help();
	if (strcmp(argv[1], "--version") == 0) {
		printf("tokconvert %s\n", PACKAGE_VERSION);
		return close_stdout(EXIT_OK);
	}
	if (argv[1][0] == '-')
		opt_usage("'%s' stands where a subcommand was expected", argv[1]);
	c = find_command(argv[1]);
	first = opt_parse(&c->tool, argc - 1, argv + 1);
	code = c->run(argc - 1 - first, argv + 1 + first, argc, argv);
	free(opt.layers.v);
	return close_stdout(code);
}
