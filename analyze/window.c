#include <config.h>

#include "analyze/window.h"

#include <stdlib.h>

static struct window *find(struct windows *ws, const struct request *r)
{
	for (size_t i = ws->n; i-- > 0;) {
		struct window *w = &ws->w[i];

		if (w->run == r->run && w->phase == r->x->req.phase)
			return w;
	}
	if (ws->n == ws->cap) {
		size_t cap = ws->cap ? 2 * ws->cap : 8;
		struct window *w = realloc(ws->w, cap * sizeof(*w));

		if (!w)
			return NULL;
		ws->w = w;
		ws->cap = cap;
	}
	ws->w[ws->n] = (struct window){ r->run, r->x->req.phase, NS_NONE, NS_NONE };
	return &ws->w[ws->n++];
}

ptrdiff_t windows_add(struct windows *ws, const struct request *r)
{
	struct window *w = find(ws, r);
	int64_t t0 = on_run_clock(r, r->x->req.sent_ns), last = on_run_clock(r, r->last_ns);

	if (!w)
		return -1;
	if (t0 != NS_NONE && (w->first_ns == NS_NONE || t0 < w->first_ns))
		w->first_ns = t0;
	if (last != NS_NONE && last > w->last_ns)
		w->last_ns = last;
	return w - ws->w;
}

void windows_release(struct windows *ws)
{
	free(ws->w);
	*ws = (struct windows){ .n = 0 };
}

int64_t request_over_ns(const struct request *r)
{
	return r->last_ns != NS_NONE ? r->last_ns : r->x->res.end_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct flight *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->change - y->change;
}

size_t peak_concurrency(struct flight *f, size_t n)
{
	int now = 0, peak = 0;

	if (n)
		qsort(f, n, sizeof(*f), by_time);
	for (size_t i = 0; i < n; i++) {
		now += f[i].change;
		if (now > peak)
			peak = now;
	}
	return (size_t)peak;
}
