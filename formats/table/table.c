#include <config.h>

#include "formats/table/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/arena.h"
#include "formats/base/clock.h"
#include "formats/base/utf8.h"
#include "formats/table/inside.h"

struct table *table_create(const char *title, const struct col *cols, size_t n)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->cols = arena_alloc(&t->store, (n ? n : 1) * sizeof(*t->cols));
	if (!t->cols) {
		free(t);
		return NULL;
	}
	t->title = arena_str(&t->store, str_of(title)).p;
	for (size_t i = 0; i < n; i++) {
		t->cols[i] = cols[i];
		t->cols[i].name = arena_str(&t->store, str_of(cols[i].name)).p;
		t->cols[i].title = arena_str(&t->store, str_of(cols[i].title)).p;
	}
	t->n_cols = n;
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	free(t->cells);
	free(t->notes);
	arena_release(&t->store);
	free(t);
}

static void *grown(void *p, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : 64;
	void *q;

	if (n < *cap)
		return p;
	q = realloc(p, want * size);
	if (q)
		*cap = want;
	return q;
}

static void add_cell(struct table *t, struct cell c)
{
	struct cell *v = grown(t->cells, t->n_cells, &t->cap_cells, sizeof(*v));

	if (!v) {
		t->failed = true;
		return;
	}
	t->cells = v;
	t->cells[t->n_cells++] = c;
}

/* Control bytes and broken UTF-8 never reach a cell: no terminal or page is steered by a name. */
static struct str clean(struct table *t, struct str s)
{
	struct str kept = { NULL, 0 };
	char *p;

	if (!s.p || !(p = arena_alloc(&t->store, s.n + 1)))
		return kept;
	kept.p = p;
	while (s.n) {
		uint32_t cp = 0;
		size_t k = utf8_decode(s, &cp);

		if (k == 0 || cp < 0x20 || (cp >= 0x7f && cp < 0xa0)) {
			p[kept.n++] = k == 0 ? '?' : ' ';
			k = k ? k : 1;
		} else {
			memcpy(p + kept.n, s.p, k);
			kept.n += k;
		}
		s.p += k;
		s.n -= k;
	}
	return kept;
}

void table_text(struct table *t, struct str s)
{
	add_cell(t, (struct cell){ CELL_TEXT, clean(t, s), 0, 0 });
	if (!s.p)
		t->cells[t->n_cells - 1].kind = CELL_ABSENT;
}

void table_int(struct table *t, int64_t v)
{
	add_cell(t, (struct cell){ v == COUNT_NONE ? CELL_ABSENT : CELL_INT, { NULL, 0 }, v, 0 });
}

void table_num(struct table *t, double v)
{
	/* -0 + 0 is 0. */
	add_cell(t, (struct cell){ isfinite(v) ? CELL_NUM : CELL_ABSENT, { NULL, 0 }, 0, v + 0.0 });
}

void table_note(struct table *t, const char *fmt, ...)
{
	struct str *v = grown(t->notes, t->n_notes, &t->cap_notes, sizeof(*v));
	char line[1024];
	va_list ap;

	if (!v) {
		t->failed = true;
		return;
	}
	t->notes = v;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	t->notes[t->n_notes++] = clean(t, str_of(line));
}

size_t table_rows(const struct table *t)
{
	return t->n_cols ? t->n_cells / t->n_cols : 0;
}

size_t table_cols(const struct table *t)
{
	return t->n_cols;
}

int table_find(const struct table *t, const char *col_name)
{
	for (size_t i = 0; i < t->n_cols; i++)
		if (strcmp(t->cols[i].name, col_name) == 0)
			return (int)i;
	return -1;
}

struct str table_cell(const struct table *t, size_t row, size_t col)
{
	const struct cell *c = &t->cells[row * t->n_cols + col];

	return c->kind == CELL_TEXT ? c->text : (struct str){ NULL, 0 };
}

double table_cell_num(const struct table *t, size_t row, size_t col)
{
	const struct cell *c = &t->cells[row * t->n_cols + col];
	char word[64], *end;
	double v;

	if (c->kind == CELL_INT)
		return (double)c->i;
	if (c->kind == CELL_NUM)
		return c->num;
	if (c->kind == CELL_ABSENT || c->text.n == 0 || c->text.n >= sizeof(word))
		return NAN;
	memcpy(word, c->text.p, c->text.n);
	word[c->text.n] = '\0';
	v = strtod(word, &end);
	return *end ? NAN : v;
}

void cell_exact(const struct cell *c, char out[CELL_TEXT_MAX])
{
	out[0] = '\0';
	if (c->kind == CELL_INT)
		snprintf(out, CELL_TEXT_MAX, "%" PRId64, c->i);
	if (c->kind != CELL_NUM)
		return;
	/* The shortest text that reads back as the same number. */
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(out, CELL_TEXT_MAX, "%.*g", digits, c->num);
		if (strtod(out, NULL) == c->num)
			return;
	}
}

int table_print(const struct table *t, enum table_format f, FILE *out, struct err *e)
{
	static void (*const print[])(const struct table *, FILE *) = {
		[TABLE_FMT_TEXT] = table_print_text, [TABLE_FMT_MARKDOWN] = table_print_markdown,
		[TABLE_FMT_TSV] = table_print_tsv, [TABLE_FMT_CSV] = table_print_csv,
		[TABLE_FMT_JSON] = table_print_json,
	};

	if (t->failed)
		return err_set(e, "out of memory");
	print[f](t, out);
	if (fflush(out) != 0 || ferror(out))
		return err_set(e, "cannot write: %s", strerror(errno));
	return 0;
}
