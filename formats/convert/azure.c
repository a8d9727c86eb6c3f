/*
 * Azure LLM inference traces (2023, 2024, 2025): CSV with TIMESTAMP, ContextTokens,
 * GeneratedTokens; columns are found by name.  No text, no session, no prefix identity.
 */
#include <config.h>

#include <stdlib.h>
#include <strings.h>

#include "formats/convert/import.h"
#include "formats/convert/lines.h"
#include "formats/convert/timestamp.h"

enum { FIELDS_MAX = 32 };
enum column { TIME, INPUT, OUTPUT, COLUMNS };
static const char *const column_names[COLUMNS] = { "TIMESTAMP", "ContextTokens", "GeneratedTokens" };

/* Fields have no commas in them; quotes around one are taken off. */
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

bool azure_sniff(struct str head)
{
	struct lines l = lines_of(head);
	size_t at[COLUMNS];
	const char *missing;
	struct str line;

	return lines_next(&l, &line) && find_columns(line, at, &missing);
}

static int tokens(struct str s, const char *name, int64_t *out, struct err *e)
{
	char word[24], *end;

	if (s.n == 0 || s.n >= 19 || s.p[0] < '0' || s.p[0] > '9')
		return err_set(e, "%s '%.*s': a whole number of tokens was expected", name, (int)(s.n < 40 ? s.n : 40), s.p);
	memcpy(word, s.p, s.n);
	word[s.n] = '\0';
	*out = strtoll(word, &end, 10);
	/* "118.0" is a whole number, too. */
	if (*end == '.' && strspn(end + 1, "0") == strlen(end + 1))
		return 0;
	return *end ? err_set(e, "%s '%s': a whole number of tokens was expected", name, word) : 0;
}

static int read_row(struct str line, const size_t at[COLUMNS], struct row *r, struct err *e)
{
	struct str f[FIELDS_MAX];
	size_t n = split(line, f);

	for (int c = 0; c < COLUMNS; c++)
		if (at[c] >= n)
			return err_set(e, "no %s: %zu fields only", column_names[c], n);
	if (timestamp_parse(f[at[TIME]], &r->arrival_ns) < 0)
		return err_set(e, "TIMESTAMP '%.*s': a time like '2023-11-16 18:17:03.9799600' was expected",
			       (int)(f[at[TIME]].n < 60 ? f[at[TIME]].n : 60), f[at[TIME]].p);
	if (tokens(f[at[INPUT]], column_names[INPUT], &r->input_tokens, e) < 0)
		return -1;
	return tokens(f[at[OUTPUT]], column_names[OUTPUT], &r->output_tokens, e);
}

int azure_rows(struct str text, const struct import_opts *o, struct rows *out, struct err *e)
{
	struct lines l = lines_of(text);
	size_t at[COLUMNS];
	const char *missing = NULL;
	struct str line;

	out->time_unit = "wall clock";
	if (!lines_next(&l, &line))
		return err_set(e, "%s: empty: a CSV with the heading TIMESTAMP,ContextTokens,GeneratedTokens was expected", o->name);
	if (!find_columns(line, at, &missing))
		return err_set(e, "%s: line 1: no column %s; the heading must name TIMESTAMP, ContextTokens and GeneratedTokens", o->name, missing);
	while (lines_next(&l, &line)) {
		struct row *r;
		struct err what;

		if (line_blank(line))
			continue;
		out->read++;
		r = rows_add(out);
		if (!r)
			return err_set(e, "out of memory");
		r->line = l.number;
		if (read_row(line, at, r, &what) == 0)
			continue;
		out->n--;
		out->bad++;
		if (!o->skip_bad)
			return err_set(e, "%s: line %zu: %s (--skip-bad leaves bad rows out)", o->name, l.number, what.msg);
	}
	return 0;
}
