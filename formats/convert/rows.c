#include <config.h>

#include "formats/convert/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *drop_name(enum drop d)
{
	static const char *const names[DROPS] = { "syntax", "missing", "value",
						  "unsupported" };

	return d < DROPS ? names[d] : "other";
}

struct row *rows_add(struct rows *r)
{
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 256;
		struct row *v = realloc(r->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		r->v = v;
		r->cap = cap;
	}
	r->v[r->n] = (struct row){
		.arrival_ns = NS_NONE,
		.input_tokens = COUNT_NONE,
		.output_tokens = COUNT_NONE,
		.turn = COUNT_NONE,
		.parent = COUNT_NONE,
	};
	return &r->v[r->n++];
}

int rows_drop(struct rows *r, size_t line, const struct row_fault *f,
	      const struct row_opts *o, struct err *e)
{
	static const char remedy[] = " (--skip-bad leaves bad rows out)";

	r->n--;
	r->dropped[f->why]++;
	if (o->skip_bad)
		return 0;
	if (f->column)
		err_set(e, "%s: line %zu, column %zu: %s", o->name, line, f->column, f->what.msg);
	else
		err_set(e, "%s: line %zu: %s", o->name, line, f->what.msg);
	if (strlen(e->msg) + strlen(remedy) < sizeof(e->msg))
		strcat(e->msg, remedy);
	return -1;
}

int row_bad(struct row_fault *f, enum drop why, size_t column, const char *fmt, ...)
{
	va_list ap;

	f->why = why;
	f->column = column;
	va_start(ap, fmt);
	vsnprintf(f->what.msg, sizeof(f->what.msg), fmt, ap);
	va_end(ap);
	/* Parts of the file are quoted in it: nothing of them may reach a terminal's control. */
	for (char *p = f->what.msg; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			*p = '?';
	return -1;
}

static int by_arrival(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->order_ns != y->order_ns)
		return x->order_ns < y->order_ns ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

void rows_sort(struct rows *r)
{
	int64_t above = NS_NONE;

	r->inversions = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct row *row = &r->v[i];

		row->order_ns = row->arrival_ns == NS_NONE ? above : row->arrival_ns;
		r->inversions += row->order_ns < above;
		above = row->order_ns;
	}
	if (r->inversions)
		qsort(r->v, r->n, sizeof(*r->v), by_arrival);
}

static int by_session(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a,
			 *y = *(const struct row *const *)b;
	size_t n = x->session.n < y->session.n ? x->session.n : y->session.n;
	int c = n ? memcmp(x->session.p, y->session.p, n) : 0;

	if (c == 0)
		c = (x->session.n > y->session.n) - (x->session.n < y->session.n);
	return c ? c : (x > y) - (x < y);
}

int rows_link(struct rows *r)
{
	struct row **of = malloc((r->n ? r->n : 1) * sizeof(*of));
	size_t n = 0;

	if (!of)
		return -1;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].session.p)
			of[n++] = &r->v[i];
	qsort(of, n, sizeof(struct row *), by_session);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || !str_eq(of[i]->session, of[i - 1]->session);

		of[i]->turn = first ? 0 : of[i - 1]->turn + 1;
		of[i]->parent = first ? COUNT_NONE : of[i - 1] - r->v;
	}
	free(of);
	return 0;
}

void rows_release(struct rows *r)
{
	free(r->v);
	arena_release(&r->store);
	*r = (struct rows){ .n = 0 };
}
