#include <config.h>

#include "plot/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void figure_init(struct figure *f, const char *kind)
{
	*f = (struct figure){ .kind = kind };
}

static void panel_release(struct panel *p)
{
	for (size_t i = 0; i < p->n_curves; i++)
		free(p->curves[i].p);
	free(p->curves);
	*p = (struct panel){ 0 };
}

void figure_release(struct figure *f)
{
	for (size_t i = 0; i < f->n_panels; i++)
		panel_release(&f->panels[i]);
	free(f->legend);
	*f = (struct figure){ 0 };
}

void figure_subtitle(struct figure *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n_subtitles == FIGURE_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(f->subtitle[f->n_subtitles++], FIGURE_TEXT, fmt, ap);
	va_end(ap);
}

void figure_note(struct figure *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n_notes == sizeof(f->notes) / sizeof(f->notes[0]))
		return;
	va_start(ap, fmt);
	vsnprintf(f->notes[f->n_notes++], FIGURE_TEXT, fmt, ap);
	va_end(ap);
}

void figure_legend(struct figure *f, const char *text, const struct style *s)
{
	struct entry *v = realloc(f->legend, (f->n_legend + 1) * sizeof(*v));

	if (!v) {
		f->failed = true;
		return;
	}
	f->legend = v;
	v += f->n_legend++;
	v->style = *s;
	snprintf(v->text, sizeof(v->text), "%s", text);
}

struct panel *figure_panel(struct figure *f)
{
	struct panel *p = &f->panels[f->n_panels];

	if (f->n_panels == PAGE_PANELS)
		return NULL;
	f->n_panels++;
	*p = (struct panel){ 0 };
	return p;
}

void figure_drop_panel(struct figure *f)
{
	if (f->n_panels > 0)
		panel_release(&f->panels[--f->n_panels]);
}

struct curve *figure_curve(struct figure *f, struct panel *p, const char *name,
	const struct style *s)
{
	struct curve *v = realloc(p->curves, (p->n_curves + 1) * sizeof(*v));

	if (!v) {
		f->failed = true;
		return NULL;
	}
	p->curves = v;
	v += p->n_curves++;
	*v = (struct curve){ .style = *s };
	snprintf(v->name, sizeof(v->name), "%s", name);
	return v;
}

void figure_point(struct figure *f, struct curve *c, double x, double y, bool hollow)
{
	if (!isfinite(y)) {
		c->gap = c->n > 0;
		return;
	}
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 8;
		struct point *v = realloc(c->p, cap * sizeof(*v));

		if (!v) {
			f->failed = true;
			return;
		}
		c->p = v;
		c->cap = cap;
	}
	c->p[c->n++] = (struct point){ x, y, hollow, c->gap };
	c->gap = false;
}

static struct extent extent_of(const struct panel *p, bool of_x)
{
	struct extent x;

	extent_init(&x);
	for (size_t i = 0; i < p->n_curves; i++)
		for (size_t k = 0; k < p->curves[i].n; k++) {
			const struct point *q = &p->curves[i].p[k];

			extent_add(&x, of_x ? q->x : q->y);
		}
	for (size_t i = 0; i < p->n_marks; i++)
		if (p->marks[i].vertical == of_x)
			extent_add(&x, p->marks[i].at);
	return x;
}

struct extent panel_extent_x(const struct panel *p)
{
	return extent_of(p, true);
}

struct extent panel_extent_y(const struct panel *p)
{
	return extent_of(p, false);
}

static size_t drop_unshown(struct curve *c, bool log_x, bool log_y)
{
	size_t kept = 0, dropped = 0;
	bool gap = false;

	for (size_t i = 0; i < c->n; i++) {
		struct point q = c->p[i];

		if ((log_x && q.x <= 0) || (log_y && q.y <= 0)) {
			dropped++;
			gap = kept > 0;
			continue;
		}
		q.after_gap = kept > 0 && (q.after_gap || gap);
		gap = false;
		c->p[kept++] = q;
	}
	c->n = kept;
	return dropped;
}

size_t panel_drop_unshown(struct panel *p, size_t *of)
{
	size_t dropped = 0;

	*of = 0;
	for (size_t i = 0; i < p->n_curves; i++) {
		*of += p->curves[i].n;
		dropped += drop_unshown(&p->curves[i], p->x.log, p->y.log);
	}
	return dropped;
}
