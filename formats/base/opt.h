/*
 * Options as a table: one row per option gives parsing, --help and the nearest right
 * spelling after a mistake.  --help and --version are built in.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_FLAG,     /* bool *: set to true */
	OPT_STR,      /* const char **: points into argv */
	OPT_COUNT,    /* int64_t *: "8k" as unit_parse_count() */
	OPT_NS,       /* int64_t *: "30s" as unit_parse_ns() */
	OPT_NUMBER,   /* double * */
	OPT_CHOICE,   /* int *: index into .choices */
	OPT_COUNTS,   /* struct opt_counts *: "1,8,32", strictly as unit_parse_count() */
	OPT_STRS,     /* struct opt_strs *: each use appends */
};

/* Lists the option parser fills; the pointers last as long as the process. */
struct opt_counts {
	int64_t *v;
	size_t n;
};

struct opt_strs {
	const char **v;
	size_t n;
};

struct opt {
	const char *name;            /* long name without "--" */
	char letter;                 /* short name, or 0 */
	enum opt_type type;
	void *dest;
	const char *arg;             /* what the help calls the argument; NULL for flags */
	const char *help;            /* one line; units and default stand in it */
	const char *const *choices;  /* OPT_CHOICE: NULL-terminated */
};

struct opt_tool {
	const char *name;      /* "tokreplay" */
	const char *synopsis;  /* "[options] TRACE" */
	const char *summary;   /* one sentence */
	const struct opt *opts; /* ends with .name == NULL */
	int min_args, max_args; /* operands; max_args < 0: any number */
};

/*
 * Parses argv (operands may stand between options) and sets err_tool().  Returns the
 * index of the first operand in the permuted argv.  --help and --version print to
 * stdout and exit 0; a mistake prints one line with the nearest right spelling and
 * exits 2.
 */
int opt_parse(const struct opt_tool *t, int argc, char **argv);

/* One line "tool: message (try 'tool --help')", exit 2. */
void opt_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The name in the NULL-terminated list that is nearest to word, or NULL if none is near. */
const char *opt_nearest(const char *word, const char *const *names);

#endif
