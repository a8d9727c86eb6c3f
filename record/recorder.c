#include <config.h>

#include "record/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/lost.h"
#include "record/segments.h"

/* s: the file that would have had it, if any. */
static void drop(struct recorder *r, struct seg *s)
{
	r->dropped++;
	if (s)
		s->dropped++;
}

/* ---- records ---- */

static void put_request(struct recorder *r, const struct record *rec)
{
	struct seg *s = current(r);
	struct record own = *rec;
	bool taken = false;
	struct flight *x;

	if (s && !s->failed) {
		if (s->requests == 0)
			s->first_id = rec->u.request.id;
		/* A parent in an earlier file would be a link to nothing. */
		if (own.u.request.parent < s->first_id)
			own.u.request.parent = COUNT_NONE;
		taken = seg_put(r, r->current, &own, false);
	}
	x = flights_add(&r->flights, rec->u.request.id, taken ? r->current : FLIGHT_NOWHERE);
	if (!taken || !x)
		drop(r, s);
	if (taken) {
		s->requests++;
		s->running += x != NULL;
	}
}

static void exchange_over(struct recorder *r, struct flight *x, int64_t t_ns)
{
	struct seg *s = x->file == FLIGHT_NOWHERE ? NULL : &r->seg[x->file];

	flights_end(&r->flights, x);
	if (s && --s->running == 0 && s->retired)
		seg_close(r, x->file, t_ns, false);
}

static void put_response(struct recorder *r, const struct record *rec)
{
	const struct rec_response *res = &rec->u.response;
	struct flight *x = flights_find(&r->flights, res->id);
	struct seg *s = !x || x->file == FLIGHT_NOWHERE ? NULL : &r->seg[x->file];
	struct record mark;

	if (!x) {
		drop(r, NULL); /* of a file that did not wait for it */
		return;
	}
	if (!s || s->failed || x->lost || !seg_put(r, x->file, rec, false)) {
		drop(r, s ? s : current(r));
		x->lost = true;
	} else {
		x->parts++;
	}
	if (!res->last)
		return;
	if (s && !s->failed && x->lost) {
		lost_response(&mark, res, x);
		seg_put(r, x->file, &mark, true);
	}
	exchange_over(r, x, res->end_ns);
}

void recorder_put(struct recorder *r, const struct record *rec)
{
	struct seg *s = current(r);

	if (rec->kind == REC_REQUEST)
		put_request(r, rec);
	else if (rec->kind == REC_RESPONSE)
		put_response(r, rec);
	else if (!s || s->failed || !seg_put(r, r->current, rec, false))
		drop(r, s);
}

/* ---- clock and state ---- */

static int64_t bytes_of(const struct recorder *r, int slot)
{
	bool known = slot != NO_SLOT && r->seg[slot].serial == r->seen.slot[slot].serial;

	return known ? r->seen.slot[slot].bytes : 0;
}

static void look(struct recorder *r)
{
	files_look(r->files, &r->seen);
	for (int i = 0; i < FILES_MAX; i++)
		if (r->seg[i].serial == r->seen.slot[i].serial)
			r->seg[i].failed = r->seen.slot[i].failed;
}

bool recorder_reopen(struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	look(r);
	if (!r->seen.regular && r->seen.failures == 0)
		return false;
	seg_retire(r, mono_ns);
	seg_open(r, mono_ns, wall_ns);
	return true;
}

void recorder_tick(struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	const struct seg *s = current(r);
	int64_t t_ns = mono_ns - r->o.header->epoch_mono_ns;

	look(r);
	for (int i = 0; i < FILES_MAX; i++)
		if (r->seg[i].open && r->seg[i].retired && mono_ns - r->seg[i].retired_ns >= r->o.grace_ns)
			seg_cut(r, i, t_ns);
	if (s && rotate_due(&r->o.rotate, mono_ns - s->opened_ns, bytes_of(r, r->current),
			    s->requests + s->dropped))
		recorder_reopen(r, mono_ns, wall_ns);
}

void recorder_look(struct recorder *r, struct recorder_state *out)
{
	struct spool_state q;

	look(r);
	spool_look(r->spool, &q);
	*out = (struct recorder_state){
		.queue_records = q.items, .queue_bytes = q.bytes, .lag_ns = q.oldest_ns,
		.dropped = r->dropped + r->seen.lost, .bytes = r->seen.bytes,
		.files_finished = r->seen.finished, .failures = r->seen.failures,
		.failed = r->current == NO_SLOT || r->seg[r->current].failed,
	};
	out->file_bytes = bytes_of(r, r->current);
	for (int i = 0; i < FILES_MAX; i++)
		out->files_open += r->seg[i].open;
	snprintf(out->file, sizeof(out->file), "%s", r->seen.current);
}

bool recorder_news(struct recorder *r, struct err *why)
{
	look(r);
	if (r->seen.failures == r->told)
		return false;
	r->told = r->seen.failures;
	err_set(why, "%s", r->seen.why);
	return true;
}

/* ---- begin and end ---- */

static void free_recorder(struct recorder *r)
{
	if (r->spool)
		spool_free(r->spool);
	files_free(r->files);
	flights_release(&r->flights);
	free(r);
}

struct recorder *recorder_create(const struct recorder_opts *o, struct err *e)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct spool_sink sink;

	if (!r || !(r->files = files_create(o->path, o->force))) {
		free(r);
		err_set(e, "out of memory");
		return NULL;
	}
	r->o = *o;
	r->current = NO_SLOT;
	sink = files_sink(r->files);
	r->spool = spool_create((size_t)o->queue_bytes, &sink, e);
	if (!r->spool) {
		free_recorder(r);
		return NULL;
	}
	return r;
}

int recorder_open(struct recorder *r, struct err *e)
{
	seg_open(r, r->o.header->epoch_mono_ns, r->o.header->epoch_wall_ns);
	if (r->current == NO_SLOT)
		return err_set(e, "out of memory");
	while (!spool_wait(r->spool, NS_PER_S))
		;
	return recorder_news(r, e) ? -1 : 0;
}

static int verdict(const struct recorder_state *s, const char *why, struct err *e)
{
	if (s->dropped == 0 && s->failures == 0)
		return 0;
	if (s->failures == 0)
		return err_set(e, "%s: %lld records were dropped: the disk did not keep up (see --queue), or they "
				  "were too large",
			       s->file, (long long)s->dropped);
	err_set(e, "%s", why);
	return err_wrap(e, "%lld records were not written", (long long)s->dropped);
}

int recorder_close(struct recorder *r, int64_t t_ns, bool interrupted, int64_t wait_ns, struct err *e)
{
	struct recorder_state s;
	int rc;

	for (int i = 0; i < FILES_MAX; i++)
		if (r->seg[i].open)
			seg_close(r, i, t_ns, interrupted);
	if (!spool_wait(r->spool, wait_ns)) {
		recorder_look(r, &s);
		/* Its thread is in the middle of a write that does not return: the process ends it. */
		err_set(e, "%s: %lld records still wait, the disk does not take them: not written",
			s.file, (long long)s.queue_records);
		return -2;
	}
	recorder_look(r, &s);
	rc = verdict(&s, r->seen.why, e);
	free_recorder(r);
	return rc;
}
