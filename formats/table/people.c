/* Tables for people: aligned text and Markdown. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/utf8.h"
#include "formats/table/inside.h"

/* Columns on a terminal: one per character, two for the wide scripts of East Asia and emoji. */
static size_t width(struct str s)
{
	size_t w = 0;

	while (s.n) {
		uint32_t cp = 0;
		size_t k = utf8_decode(s, &cp);

		w += (cp >= 0x1100 && cp <= 0x115f) || (cp >= 0x2e80 && cp <= 0xa4cf) ||
			(cp >= 0xac00 && cp <= 0xd7a3) || (cp >= 0xf900 && cp <= 0xfaff) ||
			(cp >= 0xff00 && cp <= 0xff60) || (cp >= 0x1f300 && cp <= 0x1faff) ? 2 : 1;
		k = k ? k : 1;
		s.p += k;
		s.n -= k;
	}
	return w;
}

/* The cell as shown; tmp holds a number's text. */
static struct str shown(const struct table *t, size_t row, size_t col, char tmp[CELL_TEXT_MAX])
{
	const struct cell *c = &t->cells[row * t->n_cols + col];

	switch (c->kind) {
	case CELL_TEXT:
		return c->text;
	case CELL_INT:
		snprintf(tmp, CELL_TEXT_MAX, "%" PRId64, c->i);
		break;
	case CELL_NUM:
		snprintf(tmp, CELL_TEXT_MAX, "%.*f", t->cols[col].decimals, c->num);
		/* A small negative number must not round to "-0.0". */
		if (tmp[0] == '-' && strspn(tmp, "-0.") == strlen(tmp))
			memmove(tmp, tmp + 1, strlen(tmp));
		break;
	default:
		return str_of("-");
	}
	return str_of(tmp);
}

static void pad(FILE *out, struct str s, size_t w, bool right)
{
	size_t n = width(s) < w ? w - width(s) : 0;

	fprintf(out, "%*s%.*s%*s", right ? (int)n : 0, "", (int)s.n, s.p, right ? 0 : (int)n, "");
}

static void column_widths(const struct table *t, size_t *w)
{
	char tmp[CELL_TEXT_MAX];

	for (size_t c = 0; c < t->n_cols; c++) {
		w[c] = width(str_of(t->cols[c].title));
		for (size_t r = 0; r < table_rows(t); r++) {
			size_t k = width(shown(t, r, c, tmp));

			w[c] = k > w[c] ? k : w[c];
		}
	}
}

void table_print_text(const struct table *t, FILE *out)
{
	size_t *w = calloc(t->n_cols + 1, sizeof(*w));
	char tmp[CELL_TEXT_MAX];

	if (!w)
		return;
	column_widths(t, w);
	if (t->title)
		fprintf(out, "%s\n", t->title);
	for (size_t c = 0; c < t->n_cols; c++) {
		fputs(c ? "  " : "", out);
		pad(out, str_of(t->cols[c].title), w[c], t->cols[c].type != COL_TEXT);
	}
	fputc('\n', out);
	for (size_t r = 0; r < table_rows(t); r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			fputs(c ? "  " : "", out);
			pad(out, shown(t, r, c, tmp), w[c], t->cols[c].type != COL_TEXT);
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(out, "%.*s\n", (int)t->notes[i].n, t->notes[i].p);
	free(w);
}

static void markdown_cell(FILE *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("|\\`*_<>[]", s.p[i]))
			fputc('\\', out);
		fputc(s.p[i], out);
	}
}

void table_print_markdown(const struct table *t, FILE *out)
{
	char tmp[CELL_TEXT_MAX];

	if (t->title)
		fprintf(out, "%s\n\n", t->title);
	for (size_t c = 0; c < t->n_cols; c++) {
		fputs("| ", out);
		fprintf(out, "%s ", t->cols[c].title);
	}
	fputs("|\n", out);
	for (size_t c = 0; c < t->n_cols; c++)
		fputs(t->cols[c].type == COL_TEXT ? "|---" : "|---:", out);
	fputs("|\n", out);
	for (size_t r = 0; r < table_rows(t); r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			fputs("| ", out);
			markdown_cell(out, shown(t, r, c, tmp));
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
	if (t->n_notes)
		fputc('\n', out);
	for (size_t i = 0; i < t->n_notes; i++)
		fprintf(out, "%.*s  \n", (int)t->notes[i].n, t->notes[i].p);
}
