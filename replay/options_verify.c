#include <config.h>

#include "replay/options_verify.h"

#include <string.h>

static const char *const formats[] = {
	[TABLE_FMT_TEXT] = "text", [TABLE_FMT_MARKDOWN] = "markdown", [TABLE_FMT_TSV] = "tsv",
	[TABLE_FMT_CSV] = "csv", [TABLE_FMT_JSON] = "json", NULL
};

size_t options_verify_rows(struct options_verify *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "verify", 0, OPT_FLAG, &o->on, NULL, "compare outputs: with those recorded, and of one concurrency with another", NULL },
		{ "verify-with", 0, OPT_STR, &o->with, "OTHER.tok", "compare the outputs with those of this trace", NULL },
		{ "verify-strict", 0, OPT_FLAG, &o->strict, NULL, "exit 1 if any output differs or could not be compared", NULL },
		{ "format", 0, OPT_CHOICE, &o->format, "FORMAT", "of the comparison: text (default), markdown, tsv, csv, json", formats },
	};

	*o = (struct options_verify){ .format = TABLE_FMT_TEXT };
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_verify_check(struct options_verify *o, bool live, const char *output)
{
	if (o->with || o->strict)
		o->on = true;
	if (o->on && live && strcmp(output, "-") == 0)
		opt_usage("--verify reads the run again: give it a file with -o RUN.tok");
	if (o->with && strcmp(o->with, "-") == 0)
		opt_usage("--verify-with: must be a file");
}
