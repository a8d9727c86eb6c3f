#include <config.h>

#include "record/recorder.h"

int recorder_open(struct recorder *r, const char *path, const struct rec_header *h, struct err *e)
{
	struct record rec = { .kind = REC_HEADER, .u.header = *h };
	struct err second;

	*r = (struct recorder){ .w = NULL };
	if (trace_writer_open(path, &r->w, e) < 0)
		return -1;
	if (trace_write(r->w, &rec, e) < 0 || trace_writer_flush(r->w, e) < 0) {
		trace_writer_close(r->w, &second);
		return -1;
	}
	return 0;
}

static void fail(struct recorder *r)
{
	r->failed = true;
	warn("%s; recording has stopped, proxying goes on", r->why.msg);
}

void recorder_put(struct recorder *r, const struct record *rec)
{
	if (r->failed)
		r->dropped++;
	else if (trace_write(r->w, rec, &r->why) < 0) {
		r->dropped++;
		fail(r);
	}
}

void recorder_tick(struct recorder *r)
{
	/* The timer runs twice a second: each turn flushes, so no record waits a whole second. */
	if (!r->failed && trace_writer_flush(r->w, &r->why) < 0)
		fail(r);
}

int recorder_close(struct recorder *r, int64_t t_ns, bool interrupted, struct err *e)
{
	struct record rec;
	int rc;

	record_init(&rec, REC_END);
	trace_writer_counts(r->w, &rec.u.end);
	rec.u.end.t_ns = t_ns;
	rec.u.end.interrupted = interrupted;
	rec.u.end.dropped = r->dropped;
	if (!r->failed)
		recorder_put(r, &rec);
	rc = trace_writer_close(r->w, e);
	if (r->failed) {
		*e = r->why;
		return err_wrap(e, "%lld records were not written", (long long)r->dropped);
	}
	return rc;
}
