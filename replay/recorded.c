#include <config.h>

#include "replay/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"

struct by_arrival {
	int64_t t_ns;
	size_t item;
};

static int compare(const void *a, const void *b)
{
	const struct by_arrival *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int64_t earliest(const int64_t *arrival_ns, size_t n)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (arrival_ns[i] < first)
			first = arrival_ns[i];
	return first;
}

static bool all_known(const int64_t *arrival_ns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (arrival_ns[i] == NS_NONE)
			return false;
	return true;
}

/* Those in the window, in the order of the source; how many. */
static size_t choose(struct by_arrival *v, const int64_t *arrival_ns, size_t n,
		     const struct recorded_opts *o, bool windowed)
{
	int64_t first = windowed ? earliest(arrival_ns, n) : 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t t = windowed ? arrival_ns[i] - first : 0;

		if (windowed && o->from_ns != NS_NONE && t < o->from_ns)
			continue;
		if (windowed && o->to_ns != NS_NONE && t >= o->to_ns)
			continue;
		v[kept++] = (struct by_arrival){ arrival_ns[i], i };
	}
	return kept;
}

static void set_times(struct recorded *r, const struct by_arrival *v, int64_t max_gap_ns)
{
	int64_t t = 0;

	for (size_t i = 0; i < r->n; i++) {
		int64_t gap = i ? v[i].t_ns - v[i - 1].t_ns : 0;

		t += max_gap_ns != NS_NONE && gap > max_gap_ns ? max_gap_ns : gap;
		r->at_ns[i] = t;
	}
	r->period_ns = r->n > 1 ? t + t / (int64_t)(r->n - 1) : 0;
}

static int fill(struct recorded *r, struct by_arrival *v, const struct recorded_opts *o, bool timed,
		struct err *e)
{
	r->item = calloc(r->n, sizeof(*r->item));
	r->at_ns = timed ? calloc(r->n, sizeof(*r->at_ns)) : NULL;
	if (!r->item || (timed && !r->at_ns)) {
		recorded_release(r);
		return err_set(e, "out of memory");
	}
	if (timed) {
		qsort(v, r->n, sizeof(*v), compare);
		set_times(r, v, o->max_gap_ns);
	}
	for (size_t i = 0; i < r->n; i++)
		r->item[i] = v[i].item;
	return 0;
}

int recorded_init(struct recorded *r, const int64_t *arrival_ns, size_t n,
		  const struct recorded_opts *o, bool timed, struct err *e)
{
	bool windowed = o->from_ns != NS_NONE || o->to_ns != NS_NONE;
	struct by_arrival *v;
	int rc;

	*r = (struct recorded){ .speed = o->speed };
	if (timed && !all_known(arrival_ns, n))
		return err_set(e, "recorded timing needs the arrival time of every request, and "
			       "this trace has some without; use --timing closed -c N");
	if (windowed && !all_known(arrival_ns, n))
		return err_set(e, "--from and --to need the arrival time of every request, and "
			       "this trace has some without");
	v = calloc(n, sizeof(*v));
	if (!v)
		return err_set(e, "out of memory");
	r->n = choose(v, arrival_ns, n, o, windowed);
	if (r->n)
		rc = fill(r, v, o, timed, e);
	else
		rc = err_set(e, "no request arrived between --from and --to");
	free(v);
	return rc;
}

void recorded_release(struct recorded *r)
{
	free(r->item);
	free(r->at_ns);
	*r = (struct recorded){ .n = 0 };
}

int64_t recorded_due_ns(const struct recorded *r, size_t k)
{
	size_t pass = k / r->n;
	int64_t at = r->at_ns[k % r->n];
	double due;

	/* At speed 1 and in the first pass every ns is exact. */
	if (r->speed == 1 && pass == 0)
		return at;
	due = ((double)at + (double)pass * (double)r->period_ns) / r->speed;
	return due < 9.2e18 ? llround(due) : INT64_MAX;
}
