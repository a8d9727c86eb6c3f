#include <config.h>

#include "formats/trace/exchanges.h"

#include <stdlib.h>

#include "formats/base/idmap.h"
#include "formats/base/room.h"
#include "formats/trace/copy.h"

enum { TEXT_MAX = 1 << 30 };

struct loader {
	struct trace_data *d;
	struct idmap ids; /* request ids of the segment -> their exchanges */
	size_t cap_x, cap_segments, cap_phases;
	bool with_text;
	struct err *e;
};

static int too_large(struct err *e)
{
	return err_set(e, "out of memory: the trace is too large to hold");
}

static struct segment *last_segment(const struct loader *l)
{
	return &l->d->segments[l->d->n_segments - 1];
}

static int add_segment(struct loader *l, const struct rec_header *h)
{
	struct trace_data *d = l->d;
	struct segment *s;

	if (room_for_one(&d->segments, d->n_segments, &l->cap_segments, sizeof(*d->segments)) < 0)
		return too_large(l->e);
	s = &d->segments[d->n_segments++];
	*s = (struct segment){ .header = *h };
	copy_header(&d->store, &s->header);
	health_init(&s->client);
	idmap_clear(&l->ids);
	l->cap_phases = 0;
	return 0;
}

/* A phase is written when it begins and again when it ends: the later one holds. */
static int add_phase(struct loader *l, const struct rec_phase *p)
{
	struct segment *s = last_segment(l);
	size_t i = 0;

	while (i < s->n_phases && s->phases[i].id != p->id)
		i++;
	if (i == s->n_phases) {
		if (room_for_one(&s->phases, i, &l->cap_phases, sizeof(*s->phases)) < 0)
			return too_large(l->e);
		s->n_phases++;
	}
	s->phases[i] = *p;
	copy_phase(&l->d->store, &s->phases[i]);
	return 0;
}

static int add_exchange(struct loader *l, const struct rec_request *q)
{
	struct trace_data *d = l->d;
	struct record blank;
	struct exchange *x;

	if (room_for_one(&d->x, d->n, &l->cap_x, sizeof(*d->x)) < 0)
		return too_large(l->e);
	if (idmap_put(&l->ids, (uint64_t)q->id, d->n) < 0)
		return err_set(l->e, "out of memory");
	x = &d->x[d->n++];
	record_init(&blank, REC_RESPONSE);
	*x = (struct exchange){
		.segment = (int64_t)d->n_segments - 1, .req = *q, .res = blank.u.response,
	};
	events_init(&x->res.events, l->with_text, TEXT_MAX);
	if (!l->with_text)
		x->req.body = (struct str){ NULL, 0 };
	copy_request(&d->store, &x->req);
	return 0;
}

/* Responses of a request that is not in the segment are damage that `check` names; here they are passed over. */
static int add_response(struct loader *l, const struct rec_response *s)
{
	struct trace_data *d = l->d;
	struct events joined;
	struct exchange *x;
	size_t at;

	if (!idmap_find(&l->ids, (uint64_t)s->id, &at))
		return 0;
	x = &d->x[at];
	x->has_response = true;
	if (s->events.n) {
		if (!s->events.has_text)
			x->res.events.has_text = false;
		if (events_append(&x->res.events, &s->events) < 0)
			return too_large(l->e);
	}
	if (!s->last)
		return 0;
	joined = x->res.events;
	x->res = *s;
	x->res.events = joined;
	if (!l->with_text)
		x->res.raw = (struct str){ NULL, 0 };
	copy_response(&d->store, &x->res);
	return 0;
}

static int add(struct loader *l, const struct record *r)
{
	switch (r->kind) {
	case REC_HEADER: return add_segment(l, &r->u.header);
	case REC_PHASE: return add_phase(l, &r->u.phase);
	case REC_REQUEST: return add_exchange(l, &r->u.request);
	case REC_RESPONSE: return add_response(l, &r->u.response);
	case REC_CLIENT:
		health_add(&last_segment(l)->client, &r->u.client);
		return 0;
	case REC_END:
		last_segment(l)->end = r->u.end;
		last_segment(l)->ended = true;
		return 0;
	default: return 0;
	}
}

int trace_data_load(const char *path, bool with_text, struct trace_data *d, struct err *e)
{
	struct loader l = { .d = d, .with_text = with_text, .e = e };
	struct trace_reader *r;
	struct record rec;
	int rc;

	*d = (struct trace_data){ .n = 0 };
	if (trace_reader_open(path, &r, e) < 0)
		return -1;
	while ((rc = trace_next(r, &rec, e)) > 0) {
		if (add(&l, &rec) < 0) {
			rc = err_wrap(e, "%s", path);
			break;
		}
	}
	if (rc < 0 && trace_reader_cut(r) && d->n_segments)
		rc = 1;
	idmap_release(&l.ids);
	trace_reader_close(r);
	if (rc < 0)
		trace_data_release(d);
	return rc;
}

void trace_data_release(struct trace_data *d)
{
	for (size_t i = 0; i < d->n; i++)
		events_release(&d->x[i].res.events);
	for (size_t i = 0; i < d->n_segments; i++)
		free(d->segments[i].phases);
	free(d->x);
	free(d->segments);
	arena_release(&d->store);
	*d = (struct trace_data){ .n = 0 };
}

const struct rec_phase *trace_data_phase(const struct trace_data *d, const struct exchange *x)
{
	const struct segment *s = &d->segments[x->segment];

	for (size_t i = 0; i < s->n_phases; i++)
		if (s->phases[i].id == x->req.phase)
			return &s->phases[i];
	return NULL;
}

struct str kvs_get(struct kvs k, const char *key)
{
	for (size_t i = 0; i < k.n; i++)
		if (str_is(k.v[i].key, key))
			return k.v[i].value;
	return (struct str){ NULL, 0 };
}
