/*
 * Azure LLM inference traces (2023, 2024, 2025): CSV with TIMESTAMP, ContextTokens,
 * GeneratedTokens, found by name in any case; further columns are passed over.  The time is
 * wall clock; there is no text, no session and no prefix identity, and none is made up.
 */
#include <config.h>

#include <strings.h>

#include "formats/convert/import.h"
#include "formats/convert/lines.h"
#include "formats/convert/number.h"
#include "formats/convert/timestamp.h"

enum { FIELDS_MAX = 64, SHOWN = 60 };
enum column { TIME, INPUT, OUTPUT, COLUMNS };
static const char *const column_names[COLUMNS] = {
	"TIMESTAMP", "ContextTokens", "GeneratedTokens",
};
static const char heading[] = "TIMESTAMP,ContextTokens,GeneratedTokens";

/* No value has a comma in it; blanks and quotes around one are taken off. */
static size_t split(struct str line, struct str f[FIELDS_MAX])
{
	size_t n = 0;

	while (n < FIELDS_MAX) {
		const char *comma = memchr(line.p, ',', line.n);
		struct str s = { line.p, comma ? (size_t)(comma - line.p) : line.n };

		while (s.n && (s.p[0] == ' ' || s.p[0] == '"')) {
			s.p++;
			s.n--;
		}
		while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '"'))
			s.n--;
		f[n++] = s;
		if (!comma)
			break;
		line.n -= (size_t)(comma - line.p) + 1;
		line.p = comma + 1;
	}
	return n;
}

static bool find_columns(struct str head, size_t at[COLUMNS], const char **missing)
{
	struct str f[FIELDS_MAX];
	size_t n = split(head, f);

	for (int c = 0; c < COLUMNS; c++) {
		size_t i = 0;

		while (i < n && !(f[i].n == strlen(column_names[c]) &&
				  strncasecmp(f[i].p, column_names[c], f[i].n) == 0))
			i++;
		if (i == n) {
			*missing = column_names[c];
			return false;
		}
		at[c] = i;
	}
	return true;
}

/* The heading is the first line that is not blank. */
static bool find_heading(struct lines *l, struct str *line)
{
	while (lines_next(l, line))
		if (!line_blank(*line))
			return true;
	return false;
}

bool azure_sniff(struct str head)
{
	struct lines l = lines_of(head);
	size_t at[COLUMNS];
	const char *missing;
	struct str line;

	return find_heading(&l, &line) && find_columns(line, at, &missing);
}

static int bad_field(struct row_fault *f, struct str line, struct str field,
		     enum column c, const char *expected)
{
	return row_bad(f, DROP_VALUE, (size_t)(field.p - line.p) + 1,
		       "%s is '%.*s': %s was expected", column_names[c],
		       (int)(field.n < SHOWN ? field.n : SHOWN), field.p, expected);
}

static int read_row(struct str line, const size_t at[COLUMNS], struct row *r,
		    struct row_fault *f)
{
	struct str v[FIELDS_MAX];
	size_t n = split(line, v);

	for (int c = 0; c < COLUMNS; c++)
		if (at[c] >= n)
			return row_bad(f, DROP_MISSING, 0,
				       "no %s: the line ends after %zu fields",
				       column_names[c], n);
	if (timestamp_parse(v[at[TIME]], &r->arrival_ns) < 0)
		return bad_field(f, line, v[at[TIME]], TIME,
				 "a time like '2023-11-16 18:17:03.9799600'");
	if (number_tokens(v[at[INPUT]], &r->input_tokens) < 0)
		return bad_field(f, line, v[at[INPUT]], INPUT,
				 "a whole number of tokens up to 1000000000");
	if (number_tokens(v[at[OUTPUT]], &r->output_tokens) < 0)
		return bad_field(f, line, v[at[OUTPUT]], OUTPUT,
				 "a whole number of tokens up to 1000000000");
	return 0;
}

int azure_rows(struct str text, const struct row_opts *o, struct rows *out, struct err *e)
{
	struct lines l = lines_of(text);
	const char *missing = NULL;
	size_t at[COLUMNS];
	struct row_fault f;
	struct str line;

	out->time_unit = "wall clock";
	out->wall_clock = true;
	if (!find_heading(&l, &line))
		return err_set(e, "%s: empty: a CSV with the heading %s was expected",
			       o->name, heading);
	if (!find_columns(line, at, &missing))
		return err_set(e, "%s: line %zu: no column %s; the heading must name %s",
			       o->name, l.number, missing, heading);
	while (lines_next(&l, &line)) {
		struct row *r;

		if (line_blank(line))
			continue;
		out->read++;
		r = rows_add(out);
		if (!r)
			return err_set(e, "out of memory");
		r->line = l.number;
		if (read_row(line, at, r, &f) < 0 &&
		    rows_drop(out, l.number, &f, o, e) < 0)
			return -1;
	}
	return 0;
}
