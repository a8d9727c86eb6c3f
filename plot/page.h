/*
 * The page a figure is drawn on: the kind of picture, its size, and where title, panels,
 * legend and notes lie on it.
 */
#ifndef PLOT_PAGE_H
#define PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/err.h"

/* A kind of picture; rows of one table, to which an entry is added for a new one. */
struct format {
	const char *name;      /* "png": what --format takes */
	const char *suffix;    /* ".png" */
	const char *terminal;  /* gnuplot's terminal and its options, without the size */
	const char *font;      /* of the title; NULL: text cells, no fonts */
	double char_w, line_h; /* of the small text, in the unit of the size */
	int min_w, min_h, max_w, max_h;
};

extern const struct format formats[]; /* ends with .name == NULL */
/* By name or by a path's suffix; NULL if there is none. */
const struct format *format_named(const char *name);
const struct format *format_of_path(const char *path);

struct page {
	const struct format *format;
	int w, h;              /* pixels, or columns and rows of text; 0: by the figure */
	int screen_rows;       /* text on a terminal: its rows, else 0 */
};

/* Letters in a grid instead of lines and shapes. */
static inline bool page_is_text(const struct page *p)
{
	return !p->format->font;
}

/* How much a figure wants to put on the page. */
struct content {
	size_t panels;
	size_t head_lines, note_lines;
	size_t legend_cols;    /* the widest entry */
	size_t legend_entries; /* 0: no legend beside the panels */
	size_t tic_cols;       /* the widest label on a y axis */
};

/* Shares of the page, 0 to 1, the origin at the lower left. */
struct box {
	double left, right, bottom, top;
};

enum { PAGE_PANELS = 8 };

struct layout {
	int w, h;              /* the size in force */
	struct box panel[PAGE_PANELS];
	struct box legend;
	double head_top;       /* upper edge of the title */
	double notes_top;      /* upper edge of the first note */
	double left;           /* where title and notes begin */
	double line;           /* height of a line of small text */
	size_t cols;           /* columns of small text across the page */
	size_t legend_fit;     /* entries that the legend has room for */
};

/* 0, or -1: the given size is too small for the content. */
int page_layout(const struct page *p, const struct content *c, struct layout *out,
	struct err *e);
/* Columns of small text on the page, for wrapping; head and notes may still be unknown. */
size_t page_cols(const struct page *p, const struct content *c);

#endif
