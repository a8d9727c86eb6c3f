#include <config.h>

#include "plot/figure.h"

#include <stdio.h>
#include <string.h>

#include "plot/escape.h"
#include "plot/palette.h"

static const char axis_ink[] = "#444444", grid_ink[] = "#E4E4E4", mark_ink[] = "#666666";

enum { HEAD_LINES = 16, LABEL_COLS = 200, TITLE_COLS_SHARE = 70 };

/* Title and notes, broken into lines that fit. */
struct lines {
	char v[HEAD_LINES][FIGURE_TEXT];
	size_t n;
};

/* Breaks a text at spaces into lines of at most cols columns. */
static void wrap(struct lines *out, const char *text, size_t cols)
{
	while (*text && out->n < HEAD_LINES) {
		size_t n = strlen(text), fit = 0;

		for (size_t i = 0; i <= n; i++)
			if ((text[i] == ' ' || !text[i]) &&
			    (fit == 0 || escape_columns((struct str){ text, i }) <= cols))
				fit = i;
		memcpy(out->v[out->n], text, fit);
		out->v[out->n++][fit] = '\0';
		text += fit + strspn(text + fit, " ");
	}
}

/* Whole numbers in full, others to four digits. */
static void tic_label(char *s, size_t size, double v)
{
	snprintf(s, size, v == (double)(long long)v ? "%.10g" : "%.4g", v);
}

static size_t widest_tic(const struct figure *f)
{
	size_t cols = 1;

	for (size_t i = 0; i < f->n_panels; i++)
		for (size_t k = 0; k < f->panels[i].y.n_tics; k++) {
			char s[32];

			tic_label(s, sizeof(s), f->panels[i].y.tics[k]);
			cols = strlen(s) > cols ? strlen(s) : cols;
		}
	return cols;
}

static size_t widest_entry(const struct figure *f)
{
	size_t cols = 0;

	for (size_t i = 0; i < f->n_legend; i++) {
		size_t n = escape_columns(str_of(f->legend[i].text));

		cols = n > cols ? n : cols;
	}
	return cols;
}

static void put_label(struct script *s, int tag, const char *text, double x, double y,
	const char *font, size_t cols)
{
	script_gp(s, "set label %d ", tag);
	script_quoted(s, text, cols);
	script_gp(s, " at screen %.4f,%.4f left noenhanced", x, y);
	if (font)
		script_gp(s, " font '%s'", font);
	script_gp(s, "\n");
}

/* Labels hold for all panels of a multiplot, so they are set before the first only. */
static int put_texts(struct script *s, const struct figure *f, const struct page *page,
	const struct layout *l, const struct lines *head, const struct lines *notes)
{
	double y = l->head_top - l->line / 2;
	int tag = 1;
	bool px = !page_is_text(page);

	put_label(s, tag++, f->title, l->left, y, page->format->font,
		px ? l->cols * TITLE_COLS_SHARE / 100 : l->cols);
	y -= px ? 1.3 * l->line : l->line;
	for (size_t i = 0; i < head->n; i++, y -= l->line)
		put_label(s, tag++, head->v[i], l->left, y, NULL, LABEL_COLS * 2);
	y = l->notes_top - l->line / 2;
	for (size_t i = 0; i < notes->n; i++, y -= l->line)
		put_label(s, tag++, notes->v[i], l->left, y, NULL, LABEL_COLS * 2);
	return tag;
}

static void put_axis(struct script *s, char name, const struct axis *a)
{
	if (a->log)
		script_gp(s, "set logscale %c %g\n", name, a->base);
	else
		script_gp(s, "unset logscale %c\n", name);
	script_gp(s, "set %crange [%.10g:%.10g]\nset %ctics nomirror (", name, a->lo, a->hi, name);
	for (size_t i = 0; i < a->n_tics; i++) {
		char label[32];

		tic_label(label, sizeof(label), a->tics[i]);
		script_gp(s, "%s'%s' %.10g", i ? ", " : "", label, a->tics[i]);
	}
	script_gp(s, ")\n");
}

static void put_margins(struct script *s, const struct box *b)
{
	script_gp(s, "set lmargin at screen %.4f; set rmargin at screen %.4f\n", b->left, b->right);
	script_gp(s, "set bmargin at screen %.4f; set tmargin at screen %.4f\n", b->bottom, b->top);
}

static void put_named(struct script *s, const char *what, const char *text, const char *more)
{
	script_gp(s, "set %s ", what);
	script_quoted(s, text, LABEL_COLS);
	script_gp(s, " noenhanced%s\n", more);
}

static void put_titles(struct script *s, const struct panel *p, bool px)
{
	char title[2 * FIGURE_TEXT + 8];

	put_named(s, "xlabel", p->xlabel, "");
	if (px) {
		put_named(s, "title", p->title, " offset 0,-0.4");
		put_named(s, "ylabel", p->ylabel, "");
		return;
	}
	snprintf(title, sizeof(title), "%s, %s", p->title, p->unit);
	put_named(s, "title", title, "");
}

/* The text of a level line stands just above it, at the right. */
static void put_mark_text(struct script *s, const struct mark *m, int tag, bool px)
{
	script_gp(s, "set label %d ", tag);
	script_quoted(s, m->text, LABEL_COLS);
	script_gp(s, " at graph 0.98, first %.10g right offset 0,0.5 noenhanced%s tc rgb '%s'\n", m->at,
		px ? " front boxed" : "", mark_ink);
}

static void put_marks(struct script *s, const struct panel *p, int tag, bool px)
{
	script_gp(s, "unset arrow\n");
	for (size_t i = 0; i < p->n_marks; i++) {
		const struct mark *m = &p->marks[i];

		if (m->vertical)
			script_gp(s, "set arrow from first %.10g, graph 0 to first %.10g, graph 1", m->at, m->at);
		else
			script_gp(s, "set arrow from graph 0, first %.10g to graph 1, first %.10g", m->at, m->at);
		script_gp(s, " nohead back dt 4 lw 1.5 lc rgb '%s'\n", mark_ink);
		if (*m->text)
			put_mark_text(s, m, tag + (int)i, px);
	}
}

static void drop_marks(struct script *s, const struct panel *p, int tag)
{
	for (size_t i = 0; i < p->n_marks; i++)
		if (*p->marks[i].text)
			script_gp(s, "unset label %d\n", tag + (int)i);
}

static void put_line_style(struct script *s, const struct style *t)
{
	script_gp(s, "lines lc rgb '%s' dt %d lw %g", t->colour, palette_dash((size_t)t->dash), t->width);
}

static void put_point_style(struct script *s, const struct style *t, bool hollow, bool px)
{
	if (px)
		script_gp(s, "points lc rgb '%s' pt %d ps 1.1 lw 1.5", t->colour, palette_point(t->shape, hollow));
	else
		script_gp(s, "points pt '%c'", hollow ? t->letter + ('a' - 'A') : t->letter);
}

static size_t count_points(const struct curve *c, bool hollow)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->p[i].hollow == hollow;
	return n;
}

/* One plot clause; the data is block "index" of the file. */
static void put_source(struct script *s, const char *kind, size_t index, size_t every,
	const char *using, bool *first)
{
	script_gp(s, "%s'%s.dat' index %zu", *first ? "plot " : ", \\\n  ", kind, index);
	if (every > 1)
		script_gp(s, " every %zu", every);
	script_gp(s, " using %s notitle with ", using);
	*first = false;
}

/* In text a curve is its points, in a picture a line with points on it. */
static void put_curve(struct script *s, const char *kind, const struct curve *c, size_t index,
	bool px, bool *first)
{
	static const char *const using[] = { "1:($3 == 0 ? $2 : NaN)", "1:($3 == 1 ? $2 : NaN)" };
	size_t every = px && c->style.points_wanted ? c->n / c->style.points_wanted : 1;

	if (px && c->style.width > 0 && c->n > 1) {
		put_source(s, kind, index, 1, "1:2", first);
		put_line_style(s, &c->style);
	}
	for (int hollow = 0; hollow < 2; hollow++) {
		if (count_points(c, hollow) == 0)
			continue;
		put_source(s, kind, index, every, using[hollow], first);
		put_point_style(s, &c->style, hollow, px);
	}
}

static void put_data(struct script *s, const struct curve *c, const struct panel *p)
{
	script_data(s, "# ");
	script_comment(s, p->title);
	script_data(s, ", ");
	script_comment(s, c->name);
	script_data(s, "\n# x y unsure\n");
	for (size_t i = 0; i < c->n; i++)
		script_data(s, "%s%.10g %.10g %d\n", c->p[i].after_gap ? "\n" : "", c->p[i].x, c->p[i].y,
			c->p[i].hollow);
	script_data(s, "\n\n");
}

static void put_panel(struct script *s, const struct figure *f, const struct panel *p,
	const struct layout *l, const struct page *page, size_t *index, int tag)
{
	bool px = !page_is_text(page), first = true;

	script_gp(s, "\n# %s\n", p->title);
	put_margins(s, &l->panel[p - f->panels]);
	put_titles(s, p, px);
	put_axis(s, 'x', &p->x);
	put_axis(s, 'y', &p->y);
	put_marks(s, p, tag, px);
	for (size_t i = 0; i < p->n_curves; i++) {
		if (p->curves[i].n == 0)
			continue;
		put_curve(s, f->kind, &p->curves[i], (*index)++, px, &first);
		put_data(s, &p->curves[i], p);
	}
	script_gp(s, "\n");
	drop_marks(s, p, tag);
}

static void put_entry(struct script *s, const struct entry *e)
{
	const struct style *t = &e->style;

	script_gp(s, ", \\\n  keyentry with ");
	if (t->width > 0 && t->points)
		script_gp(s, "linespoints lc rgb '%s' dt %d lw %g pt %d ps 1.1", t->colour,
			palette_dash((size_t)t->dash), t->width, palette_point(t->shape, 0));
	else if (t->width > 0)
		put_line_style(s, t);
	else
		script_gp(s, "lines lt nodraw");
	script_gp(s, " title ");
	script_quoted(s, e->text, LABEL_COLS);
}

/* The legend is a plot of its own without a frame: its one curve lies out of range. */
static void put_legend(struct script *s, const struct figure *f, const struct layout *l)
{
	size_t fit = l->legend_fit, n = f->n_legend;

	script_gp(s, "\n# legend\nunset arrow; unset title; unset xlabel; unset ylabel; unset tics; unset border\n");
	script_gp(s, "unset grid; unset logscale; set xrange [0:1]; set yrange [0:1]\n");
	put_margins(s, &l->legend);
	script_gp(s, "set key at screen %.4f,%.4f left top Left reverse vertical maxcols 1 noenhanced"
		" samplen 3 spacing 1.25\n", l->legend.left, l->legend.top);
	script_gp(s, "plot -1 notitle");
	for (size_t i = 0; i < n && (n <= fit || i + 1 < fit); i++)
		put_entry(s, &f->legend[i]);
	if (n > fit && fit > 0)
		script_gp(s, ", \\\n  keyentry with lines lt nodraw title 'and %zu more'", n - fit + 1);
	script_gp(s, "\n");
}

static void put_prologue(struct script *s, const struct figure *f, const struct page *page,
	const struct layout *l)
{
	const struct format *fmt = page->format;

	script_gp(s, "# %s chart; run: gnuplot %s.gp\n", f->kind, f->kind);
	script_gp(s, "set terminal %s size %d,%d\n", fmt->terminal, l->w, l->h);
	script_gp(s, "set output '%s%s'\n", f->kind, fmt->suffix);
	script_gp(s, "set encoding utf8\nset decimalsign '.'\nunset key\n");
	if (fmt->font) {
		script_gp(s, "set border 3 lc rgb '%s'\n", axis_ink);
		script_gp(s, "set grid back lt 1 lw 1 lc rgb '%s'\n", grid_ink);
		script_gp(s, "set tics scale 0.5\nset style textbox opaque noborder margins 0.5,0.2\n");
	}
	script_gp(s, "set multiplot\n");
}

/* In text the legend stands under the panels, as many entries to a line as fit. */
static void legend_lines(struct lines *out, const struct figure *f, size_t cols)
{
	char line[FIGURE_TEXT] = "";

	for (size_t i = 0; i < f->n_legend && out->n < HEAD_LINES; i++) {
		const struct entry *e = &f->legend[i];
		char entry[FIGURE_TEXT + 8], longer[2 * FIGURE_TEXT + 16];

		if (e->style.letter)
			snprintf(entry, sizeof(entry), "%c %s", e->style.letter, e->text);
		else
			snprintf(entry, sizeof(entry), "%s:", e->text);
		snprintf(longer, sizeof(longer), "%s%s%s", line, *line ? "  " : "", entry);
		if (*line && (escape_columns(str_of(longer)) > cols || strlen(longer) >= sizeof(line))) {
			snprintf(out->v[out->n++], FIGURE_TEXT, "%s", line);
			snprintf(longer, sizeof(longer), "%s", entry);
		}
		snprintf(line, sizeof(line), "%s", longer);
	}
	if (*line && out->n < HEAD_LINES)
		snprintf(out->v[out->n++], FIGURE_TEXT, "%s", line);
}

static int put_figure(const struct figure *f, const struct page *page, const struct content *c,
	const struct lines *head, const struct lines *notes, struct script *s, struct err *e)
{
	struct layout l;
	size_t index = 0;
	int tag;

	if (page_layout(page, c, &l, e) < 0)
		return -1;
	put_prologue(s, f, page, &l);
	tag = put_texts(s, f, page, &l, head, notes);
	for (size_t i = 0; i < f->n_panels; i++) {
		put_panel(s, f, &f->panels[i], &l, page, &index, tag);
		for (int t = 1; i == 0 && t < tag; t++)
			script_gp(s, "unset label %d\n", t);
	}
	if (c->legend_entries)
		put_legend(s, f, &l);
	script_gp(s, "unset multiplot\nset output\n");
	return s->failed || f->failed ? err_set(e, "out of memory") : 0;
}

int figure_write(const struct figure *f, const struct page *page, struct script *s, struct err *e)
{
	struct lines head = { .n = 0 }, notes = { .n = 0 };
	bool text = page_is_text(page);
	struct content c = { .panels = f->n_panels, .legend_cols = widest_entry(f),
		.legend_entries = text ? 0 : f->n_legend, .tic_cols = widest_tic(f) };
	size_t cols = page_cols(page, &c);

	for (size_t i = 0; i < f->n_subtitles; i++)
		wrap(&head, f->subtitle[i], cols);
	if (text)
		legend_lines(&notes, f, cols);
	for (size_t i = 0; i < f->n_notes; i++)
		wrap(&notes, f->notes[i], cols);
	c.head_lines = head.n + 2;
	c.note_lines = notes.n;
	return put_figure(f, page, &c, &head, &notes, s, e);
}
