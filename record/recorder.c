#include <config.h>

#include "record/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/files.h"
#include "record/flight.h"
#include "record/lost.h"

enum { NO_SLOT = -1, RUN_MAX = 64 };

/* A file as the loop sees it: what it will be once all jobs pushed so far are done. */
struct seg {
	bool open, failed, retired;  /* retired: takes no new exchanges */
	int64_t opened_ns, retired_ns; /* CLOCK_MONOTONIC */
	int64_t serial, requests, running, dropped, first_id;
};

struct recorder {
	struct recorder_opts o;
	struct files *files;
	struct spool *spool;
	struct flights flights;
	struct seg seg[FILES_MAX];
	int current;                 /* slot, or NO_SLOT */
	int64_t serial;              /* files so far */
	int64_t dropped;             /* not even queued */
	int64_t told;                /* failures that the caller was told of */
	struct files_state seen;
};

/* The file that takes new exchanges; NULL: none. */
static struct seg *current(struct recorder *r)
{
	return r->current == NO_SLOT ? NULL : &r->seg[r->current];
}

/* ---- jobs for the files ---- */

static struct file_item *new_item(enum file_job job, int slot)
{
	struct file_item *it = calloc(1, sizeof(*it));

	if (it) {
		it->job = job;
		it->slot = slot;
		buf_init(&it->packed.bytes, 0);
	}
	return it;
}

static bool push(struct recorder *r, struct file_item *it, bool urgent)
{
	if (spool_push(r->spool, &it->item, sizeof(*it) + it->packed.bytes.cap, urgent))
		return true;
	file_item_free(it);
	return false;
}

/* False: it was not taken. */
static bool push_record(struct recorder *r, int slot, const struct record *rec, bool urgent)
{
	struct file_item *it = new_item(FILE_RECORD, slot);
	struct err e;

	if (!it)
		return false;
	if (trace_pack(rec, &it->packed, &e) < 0) {
		file_item_free(it);
		return false;
	}
	return push(r, it, urgent);
}

/* s: the file that would have had it, if any. */
static void drop(struct recorder *r, struct seg *s)
{
	r->dropped++;
	if (s)
		s->dropped++;
}

/* ---- files: open, retire, close ---- */

/* The clocks drift apart: each file has the wall clock of its own opening. */
static struct rec_header header_now(const struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	struct rec_header h = *r->o.header;

	h.epoch_wall_ns = wall_ns - (mono_ns - h.epoch_mono_ns);
	return h;
}

static struct file_item *opening(struct recorder *r, int slot, int64_t mono_ns, int64_t wall_ns)
{
	struct file_item *it = new_item(FILE_OPEN, slot);
	struct record rec = { .kind = REC_HEADER, .u.header = header_now(r, mono_ns, wall_ns) };
	struct rec_header *h = &rec.u.header;
	int64_t lost = r->dropped + r->seen.lost;
	struct kv run[RUN_MAX];
	char number[24];
	struct err e;

	/* A file that follows one that failed says so: the failed one cannot. */
	if (lost > 0 && h->run.n < RUN_MAX) {
		for (size_t i = 0; i < h->run.n; i++)
			run[i] = h->run.v[i];
		snprintf(number, sizeof(number), "%lld", (long long)lost);
		run[h->run.n] = (struct kv){ str_of("dropped_before"), str_of(number) };
		h->run = (struct kvs){ run, h->run.n + 1 };
	}
	if (it && trace_pack(&rec, &it->packed, &e) < 0) {
		file_item_free(it);
		it = NULL;
	}
	if (it) {
		it->wall_ns = wall_ns;
		it->stamped = rotate_wanted(&r->o.rotate);
		it->serial = ++r->serial;
	}
	return it;
}

static void close_seg(struct recorder *r, int slot, int64_t t_ns, bool interrupted)
{
	struct file_item *it = new_item(FILE_CLOSE, slot);
	struct seg *s = &r->seg[slot];
	struct record end;

	s->open = false;
	if (!it)
		return;
	record_init(&end, REC_END);
	it->end = end.u.end;
	it->end.t_ns = t_ns;
	it->end.dropped = s->dropped;
	it->end.interrupted = interrupted;
	push(r, it, true);
}

/* What still runs gets an end in this file; what comes of it later is dropped. */
static void cut_seg(struct recorder *r, int slot, int64_t t_ns)
{
	struct record rec;

	for (size_t i = 0; i < r->flights.n; i++) {
		struct flight *x = &r->flights.v[i];

		if (x->over || x->file != slot)
			continue;
		lost_end(&rec, x, t_ns, "it ran longer than the grace time after the file's rotation");
		if (!r->seg[slot].failed)
			push_record(r, slot, &rec, true);
		r->seg[slot].dropped++;
		flights_end(&r->flights, x);
	}
	r->seg[slot].running = 0;
	close_seg(r, slot, t_ns, false);
}

static int free_slot(struct recorder *r, int64_t t_ns)
{
	int oldest = 0;

	for (int i = 0; i < FILES_MAX; i++) {
		if (!r->seg[i].open)
			return i;
		if (r->seg[i].opened_ns < r->seg[oldest].opened_ns)
			oldest = i;
	}
	cut_seg(r, oldest, t_ns);
	return oldest;
}

static void open_seg(struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	int slot = free_slot(r, mono_ns - r->o.header->epoch_mono_ns);
	struct file_item *it = opening(r, slot, mono_ns, wall_ns);

	r->current = NO_SLOT;
	if (!it || !push(r, it, true))
		return;
	r->seg[slot] = (struct seg){ .open = true, .opened_ns = mono_ns, .serial = r->serial };
	r->current = slot;
}

static void retire(struct recorder *r, int64_t mono_ns)
{
	struct seg *s = current(r);

	if (!s)
		return;
	s->retired = true;
	s->retired_ns = mono_ns;
	if (s->running == 0 || s->failed)
		cut_seg(r, r->current, mono_ns - r->o.header->epoch_mono_ns);
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
		taken = push_record(r, r->current, &own, false);
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
		close_seg(r, x->file, t_ns, false);
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
	if (!s || s->failed || x->lost || !push_record(r, x->file, rec, false)) {
		drop(r, s ? s : current(r));
		x->lost = true;
	} else {
		x->parts++;
	}
	if (!res->last)
		return;
	if (s && !s->failed && x->lost) {
		lost_response(&mark, res, x);
		push_record(r, x->file, &mark, true);
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
	else if (!s || s->failed || !push_record(r, r->current, rec, false))
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
	retire(r, mono_ns);
	open_seg(r, mono_ns, wall_ns);
	return true;
}

void recorder_tick(struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	const struct seg *s = current(r);
	int64_t t_ns = mono_ns - r->o.header->epoch_mono_ns;

	look(r);
	for (int i = 0; i < FILES_MAX; i++)
		if (r->seg[i].open && r->seg[i].retired && mono_ns - r->seg[i].retired_ns >= r->o.grace_ns)
			cut_seg(r, i, t_ns);
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
	open_seg(r, r->o.header->epoch_mono_ns, r->o.header->epoch_wall_ns);
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
		return err_set(e, "%s: %lld records were dropped: the disk did not keep up (see --queue)",
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
			close_seg(r, i, t_ns, interrupted);
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
