/* Requests -> groups and what is said of each.  Private to analyze/. */
#ifndef ANALYZE_GROUP_H
#define ANALYZE_GROUP_H

#include "analyze/analysis.h"

/* The group of a request, made if it is new: its index, or -1: out of memory. */
ptrdiff_t group_find(struct analysis *a, const struct request *r, const struct layer *l);
/* By layer, concurrency, rate; request.group follows. */
void group_sort(struct analysis *a);
/* Counts, samples, windows of all groups.  0, or -1: out of memory. */
int groups_fill(struct analysis *a, const struct goodput *g);
/* The request's value of each metric that it has.  0 or -1. */
int group_add_samples(struct sample stats[METRICS], const struct request *r);
void group_release(struct group *g);

#endif
