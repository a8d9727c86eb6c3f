#include <config.h>

#include "replay/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/crew.h"
#include "replay/live.h"

enum { URL_MAX = 1 << 16, PART_MS = 500 };

struct pool {
	const struct runlog *log;
	struct pool_opts o;
	struct tally *tally;
	struct err *e;
	struct crew *crew;
	struct flight *flights;
	size_t in_flight;
	size_t preconnected;
	int64_t late_max_ns;  /* noticed after it was due, since the last look; NS_NONE: none */
	struct live *live;         /* NULL: bodies are as planned */
	bool failed;
};

struct flight {
	struct pool *p;
	size_t i;                  /* in the plan */
	int64_t token_events;
	struct buf url, body;      /* body: only if the plan does not hold it */
	struct buf live_body;      /* or if it has another history than planned */
	bool live;
	struct crew_job job;
	struct run_times times;
	struct flight *prev, *next;
};

static int64_t now(const struct pool *p)
{
	return clock_mono_ns() - p->o.epoch_ns;
}

struct pool *pool_create(struct event_base *base, const struct runlog *log,
			 const struct pool_opts *o, struct tally *tally, struct err *e)
{
	struct capture_opts co = log->target->transport;
	struct pool *p = calloc(1, sizeof(*p));

	co.epoch_ns = o->epoch_ns;
	co.part_ns = PART_MS * NS_PER_MS;
	co.no_text = log->no_text;

	if (!p) {
		err_set(e, "out of memory");
		return NULL;
	}
	*p = (struct pool){ .log = log, .o = *o, .tally = tally, .e = e, .late_max_ns = NS_NONE };
	if (log->plan->opts.live_history && !(p->live = live_create(log->plan))) {
		err_set(e, "out of memory");
		free(p);
		return NULL;
	}
	p->crew = crew_create(base, &co, o->threads, e);
	if (!p->crew) {
		live_free(p->live);
		free(p);
		return NULL;
	}
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pool_cancel_all(p, "the run ended");
	crew_free(p->crew);
	live_free(p->live);
	free(p);
}

void pool_preconnect(struct pool *p, size_t n)
{
	const struct target *t = p->log->target;

	if (n <= p->preconnected || t->unix_socket || strncmp(t->base, "https:", 6) == 0)
		return;
	crew_preconnect(p->crew, t->base, n - p->preconnected);
	p->preconnected = n;
}

size_t pool_in_flight(const struct pool *p)
{
	return p->in_flight;
}

static struct flight *take_off(struct pool *p, size_t i)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	*f = (struct flight){ .p = p, .i = i, .next = p->flights };
	buf_init(&f->url, URL_MAX);
	buf_init(&f->body, REQUEST_BODY_MAX);
	buf_init(&f->live_body, REQUEST_BODY_MAX);
	if (f->next)
		f->next->prev = f;
	p->flights = f;
	p->in_flight++;
	return f;
}

static void land(struct flight *f)
{
	struct pool *p = f->p;

	if (f->prev)
		f->prev->next = f->next;
	else
		p->flights = f->next;
	if (f->next)
		f->next->prev = f->prev;
	p->in_flight--;
	buf_release(&f->url);
	buf_release(&f->body);
	buf_release(&f->live_body);
	free(f);
}

/* The trace cannot be written, or memory is short; e says it. */
static void fail(struct pool *p)
{
	if (p->failed)
		return;
	p->failed = true;
	p->o.on_failed(p->o.arg);
}

static void on_record(void *arg, const struct rec_response *resp)
{
	struct flight *f = arg;
	struct pool *p = f->p;
	struct record r = { .kind = REC_RESPONSE };

	tally_add(p->tally, resp, &f->token_events);
	if (p->failed)
		return;
	r.u.response = *resp;
	if (p->live && live_response(p->live, f->i, resp) < 0) {
		err_set(p->e, "out of memory");
		fail(p);
	} else if (trace_write(p->log->w, &r, p->e) < 0) {
		fail(p);
	}
}

static void say_request(const struct flight *f, const struct rec_response *last)
{
	fprintf(stderr, "request %zu: %s", f->i, status_name(last->status));
	if (last->http_status > 0)
		fprintf(stderr, ", HTTP %" PRId64, last->http_status);
	if (last->error_kind.n)
		fprintf(stderr, ", %.*s: %.*s", (int)last->error_kind.n, last->error_kind.p,
			(int)last->error_text.n, last->error_text.p ? last->error_text.p : "");
	fprintf(stderr, ", %" PRId64 " token events\n", f->token_events);
}

static void end(struct flight *f, const struct rec_response *last)
{
	struct pool *p = f->p;
	size_t i = f->i;

	if (p->o.verbose)
		say_request(f, last);
	land(f);
	p->o.on_ended(p->o.arg, i, last);
}

static void on_done(void *arg, const struct rec_response *last, bool clean_end)
{
	(void)clean_end;
	end(arg, last);
}

static int use_live_body(struct pool *p, struct flight *f, struct str *body)
{
	int rc = p->live ? live_body(p->live, f->i, *body, &f->live_body, p->e) : 0;

	f->live = rc == 1;
	if (f->live)
		*body = buf_str(&f->live_body);
	return rc < 0 ? -1 : 0;
}

/* The whole response of a request that had none. */
static int no_response(struct pool *p, size_t i, enum status status, const char *kind,
		       const char *why, struct record *r)
{
	int64_t none = 0;

	record_init(r, REC_RESPONSE);
	r->u.response.id = (int64_t)i;
	r->u.response.last = true;
	r->u.response.end_ns = now(p);
	r->u.response.status = status;
	r->u.response.error_kind = str_of(kind);
	r->u.response.error_text = str_of(why);
	if (trace_write(p->log->w, r, p->e) < 0)
		return -1;
	tally_add(p->tally, &r->u.response, &none);
	return 0;
}

/* A request that could not even start: the trace says so, and the run goes on. */
static int never_started(struct pool *p, struct flight *f, const char *why)
{
	struct record r;

	if (no_response(p, f->i, ST_ERROR, "client", why, &r) < 0)
		return -1;
	end(f, &r.u.response);
	return 0;
}

static void on_started(void *arg, int64_t sent_ns, const char *why)
{
	struct flight *f = arg;
	struct pool *p = f->p;

	f->times.sent_ns = why && sent_ns == NS_NONE ? now(p) : sent_ns;
	f->times.live = f->live;
	if (runlog_request(p->log, f->i, f->job.q.body, &f->times, p->e) < 0)
		fail(p);
	if (why && never_started(p, f, why) < 0)
		fail(p);
}

static int prepare(struct pool *p, struct flight *f)
{
	const struct plan_entry *en = &p->log->plan->e[f->i];
	struct str body;

	if (plan_body(p->log->plan, f->i, &f->body, &body, p->e) < 0)
		return -1;
	if (use_live_body(p, f, &body) < 0)
		return -1;
	if (target_url(p->log->target, en->endpoint, &f->url) < 0)
		return err_set(p->e, "out of memory");
	f->job = (struct crew_job){
		.q = {
			.id = (int64_t)f->i, .method = "POST", .url = f->url.p,
			.unix_socket = p->log->target->unix_socket,
			.headers = (const char *const *)p->log->target->headers,
			.body = body, .api = en->facts.api,
			.arg = f, .on_record = on_record, .on_done = on_done,
		},
		.on_started = on_started, .lane = f->times.lane,
	};
	return 0;
}

int pool_send(struct pool *p, const struct dispatched *what)
{
	struct flight *f = take_off(p, what->i);

	if (!f)
		return err_set(p->e, "out of memory");
	f->times = (struct run_times){ what->scheduled_ns, what->queued_ns, NS_NONE, what->lane, false };
	if (what->scheduled_ns != NS_NONE && what->queued_ns - what->scheduled_ns > p->late_max_ns)
		p->late_max_ns = what->queued_ns - what->scheduled_ns;
	if (prepare(p, f) < 0)
		return -1;
	if (crew_start(p->crew, &f->job) < 0)
		return err_set(p->e, "out of memory");
	return p->failed ? -1 : 0;
}

int pool_never_send(struct pool *p, const struct dispatched *what, const char *why)
{
	struct run_times t = { what->scheduled_ns, what->queued_ns, NS_NONE, COUNT_NONE, false };
	struct buf tmp;
	struct str body;
	struct record r;
	int rc;

	buf_init(&tmp, REQUEST_BODY_MAX);
	rc = plan_body(p->log->plan, what->i, &tmp, &body, p->e);
	if (rc == 0)
		rc = runlog_request(p->log, what->i, body, &t, p->e);
	if (rc == 0)
		rc = no_response(p, what->i, ST_CANCELLED, "not_sent", why, &r);
	buf_release(&tmp);
	return rc;
}

void pool_cancel_all(struct pool *p, const char *why)
{
	crew_cancel_all(p->crew, why);
	/* What was prepared and could not be sent. */
	while (p->flights)
		land(p->flights);
}

void pool_health(struct pool *p, struct rec_client *out)
{
	crew_health(p->crew, out);
	if (p->late_max_ns > out->send_lag_max_ns)
		out->send_lag_max_ns = p->late_max_ns;
	p->late_max_ns = NS_NONE;
}
