/*
 * A chart before it is text: panels with curves, one legend for all, title and notes.
 * Kinds of chart that are made of curves fill one in and call figure_write().
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/axis.h"
#include "plot/page.h"
#include "plot/script.h"

enum { FIGURE_TEXT = 320, FIGURE_LINES = 4 };

struct style {
	const char *colour;  /* "#0072B2" */
	size_t shape;        /* of palette_point() */
	int dash;            /* of palette_dash() */
	double width;        /* of the line; 0: no line */
	bool points;         /* in the legend; curves always have them */
	size_t points_wanted; /* about so many points on the line, however long it is; 0: all */
	char letter;         /* stands for the curve in text, 'A'..'Z'; 0: none */
};

struct point {
	double x, y;
	bool hollow;         /* the value is less sure than it looks */
	bool after_gap;      /* not joined to the point before */
};

struct curve {
	char name[FIGURE_TEXT]; /* comment in the data file */
	struct style style;
	struct point *p;     /* owned */
	size_t n, cap;
	bool gap;            /* an absent value came last */
};

/* A straight line across the panel: a service level. */
struct mark {
	double at;
	bool vertical;       /* at is on the x axis */
	char text[FIGURE_TEXT]; /* beside a line across; "": none */
};

struct panel {
	char title[FIGURE_TEXT];
	char xlabel[FIGURE_TEXT], ylabel[FIGURE_TEXT]; /* with their units */
	char unit[16];       /* of y: in text, without room for ylabel, it joins the title */
	struct axis x, y;
	struct curve *curves; /* owned */
	size_t n_curves;
	struct mark marks[FIGURE_LINES];
	size_t n_marks;
};

struct entry {
	char text[FIGURE_TEXT];
	struct style style;
};

struct figure {
	const char *kind;    /* names the files: KIND.gp, KIND.dat, KIND.png */
	char title[FIGURE_TEXT], subtitle[FIGURE_LINES][FIGURE_TEXT];
	size_t n_subtitles;
	struct panel panels[PAGE_PANELS];
	size_t n_panels;
	struct entry *legend; /* owned */
	size_t n_legend;
	char notes[8][FIGURE_TEXT];
	size_t n_notes;
	bool failed;         /* out of memory somewhere */
};

void figure_init(struct figure *f, const char *kind);
void figure_release(struct figure *f);

/* What is added past a figure's limits is dropped; text is cut to FIGURE_TEXT. */
void figure_subtitle(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void figure_note(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void figure_legend(struct figure *f, const char *text, const struct style *s);
struct panel *figure_panel(struct figure *f);
/* Takes back the last panel. */
void figure_drop_panel(struct figure *f);
/* NULL: out of memory, kept in f->failed. */
struct curve *figure_curve(struct figure *f, struct panel *p, const char *name,
	const struct style *s);
/* y NaN: a gap in the line. */
void figure_point(struct figure *f, struct curve *c, double x, double y, bool hollow);

/* Values of all curves and marks of a panel. */
struct extent panel_extent_x(const struct panel *p);
struct extent panel_extent_y(const struct panel *p);
/*
 * Removes points that a logarithmic axis cannot show; the line has a gap there.
 * Returns how many of how many (*of).
 */
size_t panel_drop_unshown(struct panel *p, size_t *of);

/* Writes the figure as script and data.  0 or -1 (too small a page, no memory). */
int figure_write(const struct figure *f, const struct page *page, struct script *s,
	struct err *e);

#endif
