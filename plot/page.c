#include <config.h>

#include "plot/page.h"

#include <string.h>

/*
 * The generic family name is one that fontconfig and browsers both resolve.  The sizes
 * give the same picture: pngcairo takes points at 96 per inch, svg takes pixels.
 */
const struct format formats[] = {
	{ "png", ".png", "pngcairo noenhanced font 'sans-serif,10' background '#FFFFFF'",
		"sans-serif:Bold,13", 7.9, 17, 320, 240, 8192, 8192 },
	{ "svg", ".svg", "svg noenhanced font 'sans-serif,13' background '#FFFFFF'",
		"sans-serif:Bold,17", 7.9, 17, 320, 240, 8192, 8192 },
	{ "dumb", ".txt", "dumb noenhanced mono", NULL, 1, 1, 40, 12, 500, 500 },
	{ .name = NULL },
};

const struct format *format_named(const char *name)
{
	for (const struct format *f = formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

const struct format *format_of_path(const char *path)
{
	size_t n = strlen(path);

	for (const struct format *f = formats; f->name; f++) {
		size_t k = strlen(f->suffix);

		if (n > k && strcmp(path + n - k, f->suffix) == 0)
			return f;
	}
	return NULL;
}

enum { PANEL_PX = 380, LEGEND_PX = 240, SAMPLE_PX = 60, HEIGHT_PX = 560, TEXT_COLS = 79, TEXT_ROWS = 18 };

/* Panels side by side: all of up to four, else in two rows. */
static size_t across(size_t panels)
{
	return panels <= 4 ? panels : (panels + 1) / 2;
}

/* Width of the legend's column: sample, text, and room between. */
static double legend_width(const struct format *f, const struct content *c)
{
	return c->legend_entries ? (double)(c->legend_cols + 1) * f->char_w + SAMPLE_PX : 0;
}

static int default_w(const struct page *p, const struct content *c)
{
	int legend = (int)legend_width(p->format, c);

	if (!p->format->font)
		return TEXT_COLS;
	return PANEL_PX * (int)(c->panels > 1 ? across(c->panels) : 2) +
		(legend > LEGEND_PX ? legend : LEGEND_PX);
}

static int default_h(const struct page *p, const struct content *c)
{
	int rows;

	if (p->format->font)
		return HEIGHT_PX * (c->panels > across(c->panels) ? 2 : 1) + 17 * (int)c->note_lines;
	rows = TEXT_ROWS * (int)c->panels + (int)(c->head_lines + c->note_lines);
	return c->panels == 1 && p->screen_rows > rows ? p->screen_rows : rows;
}

size_t page_cols(const struct page *p, const struct content *c)
{
	int w = p->w ? p->w : default_w(p, c);

	return (size_t)((w - 4 * p->format->char_w) / p->format->char_w);
}

/* What a panel needs around its frame, in the unit of the size. */
struct rim {
	double left, right, bottom, top;
};

static struct rim rim_of(const struct format *f, const struct content *c)
{
	double tics = (double)c->tic_cols * f->char_w;

	if (!f->font)
		return (struct rim){ tics + 2, 1, 3, 1 };
	return (struct rim){ tics + 2.2 * f->line_h, 3 * f->char_w, 3.2 * f->line_h,
		1.6 * f->line_h };
}

static void place_panels(struct layout *l, const struct content *c, const struct rim *m,
	struct box all, size_t columns)
{
	size_t rows = (c->panels + columns - 1) / columns;
	double w = (all.right - all.left) / (double)columns;
	double h = (all.top - all.bottom) / (double)rows;

	for (size_t i = 0; i < c->panels; i++) {
		double x = all.left + w * (double)(i % columns);
		double y = all.top - h * (double)(i / columns + 1);

		l->panel[i] = (struct box){
			(x + m->left) / l->w, (x + w - m->right) / l->w,
			(y + m->bottom) / l->h, (y + h - m->top) / l->h,
		};
	}
}

static size_t columns_for(const struct format *f, double width, size_t panels)
{
	size_t fit = f->font ? (size_t)(width / (PANEL_PX * 0.7)) : 1;

	return fit < 1 ? 1 : fit < across(panels) ? fit : across(panels);
}

int page_layout(const struct page *p, const struct content *c, struct layout *l,
	struct err *e)
{
	const struct format *f = p->format;
	struct rim m = rim_of(f, c);
	double pad = f->font ? 10 : 0, legend = legend_width(f, c);
	struct box all;

	*l = (struct layout){ .w = p->w ? p->w : default_w(p, c),
		.h = p->h ? p->h : default_h(p, c) };
	l->cols = (size_t)((l->w - 4 * f->char_w) / f->char_w);
	l->line = f->line_h / l->h;
	l->left = (pad + f->char_w) / l->w;
	l->head_top = 1 - pad / l->h;
	l->notes_top = (pad + (double)c->note_lines * f->line_h) / l->h;
	all = (struct box){ pad, l->w - pad - legend,
		pad + (double)c->note_lines * f->line_h,
		l->h - pad - ((double)c->head_lines + (f->font ? 0.5 : 0)) * f->line_h };
	if (c->panels > PAGE_PANELS)
		return err_set(e, "too many panels");
	place_panels(l, c, &m, all, columns_for(f, all.right - all.left, c->panels));
	l->legend = (struct box){ (all.right + f->char_w) / l->w, 1 - pad / l->w,
		all.bottom / l->h, (all.top - m.top) / l->h };
	l->legend_fit = (size_t)((all.top - m.top - all.bottom) / (f->line_h * (f->font ? 1.3 : 1)));
	for (size_t i = 0; i < c->panels; i++)
		if (l->panel[i].right - l->panel[i].left < 12 * f->char_w / l->w ||
		    l->panel[i].top - l->panel[i].bottom < 4 * f->line_h / l->h)
			return err_set(e, "%dx%d is too small for this chart; give a larger --size", l->w, l->h);
	return 0;
}
