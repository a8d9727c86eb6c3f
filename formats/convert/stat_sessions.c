#include <config.h>

#include "formats/convert/stat.h"

#include <stdlib.h>

#include "formats/base/idmap.h"

/* FNV-1a; segments of one file have sessions of one recording, so only the label counts. */
static uint64_t key_of(struct str label)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < label.n; i++)
		h = (h ^ (unsigned char)label.p[i]) * UINT64_C(1099511628211);
	return h;
}

int stat_sessions(const struct trace_data *d, struct stat *s, double **turns)
{
	struct idmap places = { NULL, 0, 0 };
	double *v = calloc(d->n ? d->n : 1, sizeof(*v));
	int rc = v ? 0 : -1;

	for (size_t i = 0; i < d->n && rc >= 0; i++) {
		const struct rec_request *q = &d->x[i].req;
		size_t at = s->sessions;

		if (!q->session.n)
			continue;
		rc = idmap_add(&places, key_of(q->session), at);
		s->sessions += rc == 1;
		s->inferred += rc == 1 && q->inferred;
		if (rc == 0)
			idmap_find(&places, key_of(q->session), &at);
		v[at]++;
	}
	idmap_release(&places);
	*turns = v;
	return rc < 0 ? -1 : 0;
}
