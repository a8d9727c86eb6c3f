#include <config.h>

#include "formats/base/opt.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/err.h"
#include "formats/base/unit.h"

enum { OPTS_MAX = 128, WORD_MAX = 64, HELP_COLUMN = 30 };

void opt_usage(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", err_tool_name());
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (try '%s --help')\n", err_tool_name());
	exit(EXIT_USAGE);
}

/* Edit distance, one row at a time; words past WORD_MAX are simply far. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], na = strlen(a), nb = strlen(b);

	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

const char *opt_nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t best_d = 1 + strlen(word) / 2;

	for (; *names; names++) {
		size_t d = distance(word, *names);
		size_t n = strlen(word);

		/* What is the start or the end of a right name counts as near. */
		if (n >= 3 && (strncmp(*names, word, n) == 0 || strstr(*names, word)))
			d = 1;
		if (d < best_d) {
			best_d = d;
			best = *names;
		}
	}
	return best;
}

static void bad_option(const struct opt_tool *t, const char *given)
{
	const char *names[OPTS_MAX + 3], *near;
	char word[WORD_MAX + 1];
	size_t n = 0;

	for (const struct opt *o = t->opts; o->name && n < OPTS_MAX; o++)
		names[n++] = o->name;
	names[n++] = "help";
	names[n++] = "version";
	names[n] = NULL;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(given + 2, "="), given + 2);
	near = strncmp(given, "--", 2) == 0 ? opt_nearest(word, names) : NULL;
	if (near)
		opt_usage("unknown option '--%s'; did you mean '--%s'?", word, near);
	opt_usage("unknown option '%s'", given);
}

static void parse_choice(const struct opt *o, const char *arg)
{
	const char *near;

	for (int i = 0; o->choices[i]; i++) {
		if (strcmp(arg, o->choices[i]) == 0) {
			*(int *)o->dest = i;
			return;
		}
	}
	near = opt_nearest(arg, o->choices);
	if (near)
		opt_usage("--%s: unknown '%s'; did you mean '%s'?", o->name, arg, near);
	opt_usage("--%s: unknown '%s'; known: %s, ...", o->name, arg, o->choices[0]);
}

static void *grow(void *p, size_t n, size_t size)
{
	p = realloc(p, (n + 1) * size);
	if (!p)
		die(EXIT_FAILED, "out of memory");
	return p;
}

static void parse_counts(const struct opt *o, const char *arg)
{
	struct opt_counts *c = o->dest;
	char word[WORD_MAX + 1];

	c->n = 0; /* a second use replaces the first */
	for (const char *p = arg;; p++) {
		size_t n = strcspn(p, ",");

		snprintf(word, sizeof(word), "%.*s", (int)(n < WORD_MAX ? n : WORD_MAX), p);
		c->v = grow(c->v, c->n, sizeof(*c->v));
		if (unit_parse_count(word, &c->v[c->n++]) < 0)
			opt_usage("--%s: '%s' is not a list of numbers like '1,8,32'", o->name, arg);
		p += n;
		if (!*p)
			return;
	}
}

static void parse_value(const struct opt *o, const char *arg)
{
	struct opt_strs *s = o->dest;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->dest = true;
		break;
	case OPT_STR:
		*(const char **)o->dest = arg;
		break;
	case OPT_COUNT:
		if (unit_parse_count(arg, o->dest) < 0)
			opt_usage("--%s: '%s' is not a number like '64' or '8k'", o->name, arg);
		break;
	case OPT_NS:
		if (unit_parse_ns(arg, o->dest) < 0)
			opt_usage("--%s: '%s' is not a time like '30s' or '500ms'", o->name, arg);
		break;
	case OPT_NUMBER:
		if (unit_parse_double(arg, o->dest) < 0)
			opt_usage("--%s: '%s' is not a number", o->name, arg);
		break;
	case OPT_CHOICE:
		parse_choice(o, arg);
		break;
	case OPT_COUNTS:
		parse_counts(o, arg);
		break;
	case OPT_STRS:
		s->v = grow(s->v, s->n, sizeof(*s->v));
		s->v[s->n++] = arg;
		break;
	}
}

static void help_row(const struct opt *o)
{
	char left[96];
	int n = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
			 o->arg ? " " : "", o->arg ? o->arg : "");

	if (n >= HELP_COLUMN)
		printf("%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
	else
		printf("%-*s%s\n", HELP_COLUMN, left, o->help);
}

static void print_help(const struct opt_tool *t)
{
	printf("usage: %s %s\n%s\n\n", t->name, t->synopsis, t->summary);
	for (const struct opt *o = t->opts; o->name; o++)
		help_row(o);
	help_row(&(struct opt){ .name = "help", .help = "show this and exit" });
	help_row(&(struct opt){ .name = "version", .help = "show the version and exit" });
	exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED);
}

/* Long options get values from OPTS_BASE on: the row's index. */
enum { OPTS_BASE = 256, OPT_HELP = 512, OPT_VERSION };

static void build(const struct opt_tool *t, struct option *longs, char *shorts)
{
	size_t n = 0;

	*shorts++ = ':';
	for (const struct opt *o = t->opts; o->name && n < OPTS_MAX; o++, n++) {
		int has = o->type == OPT_FLAG ? no_argument : required_argument;

		longs[n] = (struct option){ o->name, has, NULL, OPTS_BASE + (int)n };
		if (o->letter)
			*shorts++ = o->letter;
		if (o->letter && has)
			*shorts++ = ':';
	}
	longs[n++] = (struct option){ "help", no_argument, NULL, OPT_HELP };
	longs[n++] = (struct option){ "version", no_argument, NULL, OPT_VERSION };
	longs[n] = (struct option){ NULL, 0, NULL, 0 };
	*shorts = '\0';
}

static const struct opt *by_value(const struct opt_tool *t, int c)
{
	if (c >= OPTS_BASE)
		return &t->opts[c - OPTS_BASE];
	for (const struct opt *o = t->opts; o->name; o++)
		if (o->letter == c)
			return o;
	return NULL;
}

static void check_operands(const struct opt_tool *t, int n)
{
	if (n < t->min_args)
		opt_usage("missing operand; usage: %s %s", t->name, t->synopsis);
	if (t->max_args >= 0 && n > t->max_args)
		opt_usage("too many operands; usage: %s %s", t->name, t->synopsis);
}

int opt_parse(const struct opt_tool *t, int argc, char **argv)
{
	struct option longs[OPTS_MAX + 3];
	char shorts[2 * OPTS_MAX + 2], letter[3] = "-?";
	int c;

	err_tool(t->name);
	build(t, longs, shorts);
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const char *given = optind > 0 ? argv[optind - 1] : "";

		letter[1] = (char)optopt;
		if (c == OPT_HELP)
			print_help(t);
		if (c == OPT_VERSION) {
			printf("%s %s\n", t->name, PACKAGE_VERSION);
			exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED);
		}
		if (c == ':')
			opt_usage("%s needs a value", given);
		if (c == '?' && optopt >= OPTS_BASE)
			opt_usage("%s takes no value", given);
		if (c == '?')
			bad_option(t, optopt ? letter : given);
		parse_value(by_value(t, c), optarg);
	}
	check_operands(t, argc - optind);
	return optind;
}
