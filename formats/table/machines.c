/* Tables for programs: TSV (out and in), CSV, JSON. */
#include <config.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/table/inside.h"

/* Control bytes are gone from cells already, so a tab can only be a separator. */
static void plain_cell(const struct cell *c, FILE *out)
{
	char tmp[CELL_TEXT_MAX];

	if (c->kind == CELL_TEXT) {
		fwrite(c->text.p, 1, c->text.n, out);
		return;
	}
	cell_exact(c, tmp);
	fputs(tmp, out);
}

void table_print_tsv(const struct table *t, FILE *out)
{
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(out, "# %.*s\n", (int)t->notes[i].n, t->notes[i].p);
	for (size_t c = 0; c < t->n_cols; c++)
		fprintf(out, "%s%s", c ? "\t" : "", t->cols[c].name);
	fputc('\n', out);
	for (size_t r = 0; r < table_rows(t); r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			if (c)
				fputc('\t', out);
			plain_cell(&t->cells[r * t->n_cols + c], out);
		}
		fputc('\n', out);
	}
}

/* RFC 4180; a text that a spreadsheet would take for a formula gets a quote in front. */
static void csv_text(struct str s, FILE *out)
{
	bool formula = s.n && strchr("=+-@", s.p[0]);

	if (!formula && !memchr(s.p, ',', s.n) && !memchr(s.p, '"', s.n)) {
		fwrite(s.p, 1, s.n, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			fputc('"', out);
		fputc(s.p[i], out);
	}
	fputc('"', out);
}

void table_print_csv(const struct table *t, FILE *out)
{
	for (size_t c = 0; c < t->n_cols; c++)
		fprintf(out, "%s%s", c ? "," : "", t->cols[c].name);
	fputs("\r\n", out);
	for (size_t r = 0; r < table_rows(t); r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			const struct cell *cell = &t->cells[r * t->n_cols + c];

			if (c)
				fputc(',', out);
			if (cell->kind == CELL_TEXT)
				csv_text(cell->text, out);
			else
				plain_cell(cell, out);
		}
		fputs("\r\n", out);
	}
}

static json_t *json_of(const struct cell *c)
{
	switch (c->kind) {
	case CELL_TEXT: return json_stringn(c->text.p, c->text.n);
	case CELL_INT: return json_integer(c->i);
	case CELL_NUM: return json_real(c->num);
	default: return json_null();
	}
}

void table_print_json(const struct table *t, FILE *out)
{
	fputs("[", out);
	for (size_t r = 0; r < table_rows(t); r++) {
		json_t *row = json_object();

		for (size_t c = 0; c < t->n_cols; c++)
			json_object_set_new(row, t->cols[c].name, json_of(&t->cells[r * t->n_cols + c]));
		fputs(r ? ",\n " : "\n ", out);
		json_dumpf(row, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
		json_decref(row);
	}
	fputs("\n]\n", out);
}

enum { COLS_MAX = 256 };

/* Splits at tabs, in place; the number of fields. */
static size_t split(char *line, char *fields[COLS_MAX])
{
	size_t n = 0;

	for (char *p = line; n < COLS_MAX; p++) {
		fields[n++] = p;
		p += strcspn(p, "\t");
		if (!*p)
			break;
		*p = '\0';
	}
	return n;
}

static struct table *head_of(char *fields[], size_t n)
{
	struct col cols[COLS_MAX];

	for (size_t i = 0; i < n; i++)
		cols[i] = (struct col){ fields[i], fields[i], COL_TEXT, 0 };
	return table_create(NULL, cols, n);
}

static int read_line(char *line, size_t number, const char *name, struct table **t, struct err *e)
{
	char *fields[COLS_MAX];
	size_t n;

	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '#' || line[0] == '\0')
		return 0;
	n = split(line, fields);
	if (!*t) {
		*t = head_of(fields, n);
		return *t ? 0 : err_set(e, "out of memory");
	}
	if (n != table_cols(*t))
		return err_set(e, "%s: line %zu: %zu fields where the heading has %zu", name, number, n,
			       table_cols(*t));
	for (size_t i = 0; i < n; i++)
		table_text(*t, *fields[i] ? str_of(fields[i]) : (struct str){ NULL, 0 });
	return 0;
}

int table_read_tsv(FILE *in, const char *name, struct table **out, struct err *e)
{
	struct table *t = NULL;
	char *line = NULL;
	size_t cap = 0, number = 0;
	int rc = 0;

	while (rc == 0 && getline(&line, &cap, in) >= 0)
		rc = read_line(line, ++number, name, &t, e);
	if (rc == 0 && ferror(in))
		rc = err_set(e, "%s: cannot read: %s", name, strerror(errno));
	if (rc == 0 && !t)
		rc = err_set(e, "%s: empty: a TSV table with a heading was expected", name);
	free(line);
	if (rc < 0)
		table_free(t);
	else
		*out = t;
	return rc;
}
