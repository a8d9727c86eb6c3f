#include <config.h>

#include "record/segments.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/lost.h"

enum { RUN_MAX = 64 };

/* ---- jobs ---- */

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

bool seg_put(struct recorder *r, int slot, const struct record *rec, bool urgent)
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

/* ---- a file: open, retire, close ---- */

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

void seg_close(struct recorder *r, int slot, int64_t t_ns, bool interrupted)
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

void seg_cut(struct recorder *r, int slot, int64_t t_ns)
{
	struct record rec;

	for (size_t i = 0; i < r->flights.n; i++) {
		struct flight *x = &r->flights.v[i];

		if (x->over || x->file != slot)
			continue;
		lost_end(&rec, x, t_ns, "it ran longer than the grace time after the file's rotation");
		if (!r->seg[slot].failed)
			seg_put(r, slot, &rec, true);
		r->seg[slot].dropped++;
		flights_end(&r->flights, x);
	}
	r->seg[slot].running = 0;
	seg_close(r, slot, t_ns, false);
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
	seg_cut(r, oldest, t_ns);
	return oldest;
}

void seg_open(struct recorder *r, int64_t mono_ns, int64_t wall_ns)
{
	int slot = free_slot(r, mono_ns - r->o.header->epoch_mono_ns);
	struct file_item *it = opening(r, slot, mono_ns, wall_ns);

	r->current = NO_SLOT;
	if (!it || !push(r, it, true))
		return;
	r->seg[slot] = (struct seg){ .open = true, .opened_ns = mono_ns, .serial = r->serial };
	r->current = slot;
}

void seg_retire(struct recorder *r, int64_t mono_ns)
{
	struct seg *s = current(r);

	if (!s)
		return;
	s->retired = true;
	s->retired_ns = mono_ns;
	if (s->running == 0 || s->failed)
		seg_cut(r, r->current, mono_ns - r->o.header->epoch_mono_ns);
}
