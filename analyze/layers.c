#include <config.h>

#include "analyze/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/unit.h"

enum { AUTO_LAYERS = 4, AUTO_SHARE = 8 };

static size_t count_upto(const double *sorted, size_t n, double edge)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid] <= edge)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void layers_choose(const double *sorted, size_t n, struct layer_opts *o)
{
	size_t least = n / AUTO_SHARE ? n / AUTO_SHARE : 1, before = 0;

	o->n = 0;
	for (int64_t edge = 1024; edge <= INT64_C(1) << 20 && o->n + 1 < AUTO_LAYERS; edge *= 2) {
		size_t upto = count_upto(sorted, n, (double)edge);

		if (upto - before < least || n - upto < least)
			continue;
		o->edges[o->n++] = edge;
		before = upto;
	}
}

struct layer layer_of(const struct layer_opts *o, int64_t input_tokens)
{
	struct layer l = { -1, INT64_MAX, "" };
	size_t i = 0;

	if (input_tokens == COUNT_NONE) {
		l.above = INT64_MAX; /* sorts last */
		snprintf(l.label, sizeof(l.label), "unknown");
		return l;
	}
	while (i < o->n && input_tokens > o->edges[i])
		i++;
	if (i > 0)
		l.above = o->edges[i - 1];
	if (i < o->n)
		l.upto = o->edges[i];
	if (o->n == 0)
		snprintf(l.label, sizeof(l.label), "all");
	else if (i == 0)
		snprintf(l.label, sizeof(l.label), "[0,%" PRId64 "]", l.upto);
	else if (i < o->n)
		snprintf(l.label, sizeof(l.label), "(%" PRId64 ",%" PRId64 "]", l.above, l.upto);
	else
		snprintf(l.label, sizeof(l.label), "(%" PRId64 ",inf)", l.above);
	return l;
}

struct layer layer_named(const char *label, size_t n)
{
	struct layer l = { -1, INT64_MAX, "" };
	char input[sizeof(l.label)];

	snprintf(l.label, sizeof(l.label), "%.*s", (int)n, label);
	snprintf(input, sizeof(input), "%.*s", (int)strcspn(l.label, ":"), l.label);
	if (unit_parse_count(input, &l.upto) == 0)
		l.above = l.upto - 1;
	return l;
}
