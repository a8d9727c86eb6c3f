#include <config.h>

#include "formats/convert/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/digest.h"
#include "formats/base/idmap.h"
#include "formats/trace/reader.h"

/* What the responses of a request are held against. */
struct asked {
	int64_t sent_ns, first_event_ns, last_event_ns, next_part;
	bool ended;
};

struct checker {
	const struct check_listener *l;
	struct check_result *r;
	int64_t record; /* number of the record at hand */
	bool open;	/* within a segment */
	bool no_text;
	struct idmap requests, phases;
	struct asked *asked; /* by value of requests */
	size_t n, cap;
	int64_t first_request; /* its id */
	int64_t requests_here, responses_here, events_here; /* of the segment */
	bool oom;
};

static void fault(struct checker *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void fault(struct checker *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->r->faults++;
	c->l->fault(c->l->arg, c->record, text);
}

/* "is -5 ns": a time before the segment's epoch. */
static void not_negative(struct checker *c, const char *kind, int64_t id, const char *key,
			 int64_t ns)
{
	if (ns != NS_NONE && ns < 0)
		fault(c, "%s %" PRId64 ": %s is %" PRId64 ", before the segment's epoch",
		      kind, id, key, ns);
}

static void in_order(struct checker *c, int64_t id, const char *a_key, int64_t a,
		     const char *b_key, int64_t b)
{
	if (a != NS_NONE && b != NS_NONE && a > b)
		fault(c,
		      "response %" PRId64 ": %s (%" PRId64 ") is before %s (%" PRId64 ")",
		      id, b_key, b, a_key, a);
}

static void check_sha(struct checker *c, const char *key, struct str s)
{
	bool hex = s.n == DIGEST_HEX;

	for (size_t i = 0; hex && i < s.n; i++)
		hex = (s.p[i] >= '0' && s.p[i] <= '9') ||
		      (s.p[i] >= 'a' && s.p[i] <= 'f');
	if (s.p && !hex)
		fault(c, "%s is no SHA-256 of %d hex digits", key, DIGEST_HEX);
}

static void begin_segment(struct checker *c, const struct rec_header *h)
{
	if (c->open)
		fault(c, "a segment begins, but the one before it has no end record");
	c->open = true;
	c->no_text = h->no_text;
	c->r->segments++;
	idmap_clear(&c->requests);
	idmap_clear(&c->phases);
	c->n = 0;
	c->requests_here = c->responses_here = c->events_here = 0;
	check_sha(c, "source_digest", h->source_digest);
	check_sha(c, "plan_digest", h->plan_digest);
}

static void check_phase(struct checker *c, const struct rec_phase *p)
{
	if (p->id < 0)
		fault(c, "phase without an id");
	else if (idmap_add(&c->phases, (uint64_t)p->id, 0) < 0)
		c->oom = true;
	not_negative(c, "phase", p->id, "begin_ns", p->begin_ns);
	if (p->end_ns != NS_NONE && p->begin_ns != NS_NONE && p->end_ns < p->begin_ns)
		fault(c, "phase %" PRId64 " ends before it begins", p->id);
}

static void check_body(struct checker *c, const struct rec_request *q)
{
	char hex[DIGEST_HEX + 1];

	check_sha(c, "body_digest", q->body_digest);
	if (!q->body.p)
		return;
	/* Digest and length are of what was sent. */
	if (q->redacted)
		return;
	if (c->no_text)
		fault(c, "request %" PRId64 ": has a body, but the header says no_text",
		      q->id);
	if (q->body_len != COUNT_NONE && q->body_len != (int64_t)q->body.n)
		fault(c,
		      "request %" PRId64 ": body_len is %" PRId64
		      ", but the body has %zu bytes",
		      q->id, q->body_len, q->body.n);
	if (!q->body_digest.p)
		return;
	digest_bytes(q->body.p, q->body.n, hex);
	if (!str_is(q->body_digest, hex))
		fault(c, "request %" PRId64 ": the body's SHA-256 is not its body_digest",
		      q->id);
}

static void check_links(struct checker *c, const struct rec_request *q)
{
	size_t at;

	if (q->phase != COUNT_NONE &&
	    (q->phase < 0 || !idmap_find(&c->phases, (uint64_t)q->phase, &at)))
		fault(c, "request %" PRId64 ": no phase %" PRId64 " before it", q->id,
		      q->phase);
	/* The files of one recording have one run of ids: a parent may be in an earlier one. */
	if (q->parent != COUNT_NONE && (q->parent < 0 || q->parent >= c->first_request) &&
	    (q->parent < 0 || !idmap_find(&c->requests, (uint64_t)q->parent, &at)))
		fault(c,
		      "request %" PRId64 ": no request %" PRId64
		      " (its parent) before it",
		      q->id, q->parent);
	if (q->n_blocks && q->block_tokens <= 0)
		fault(c, "request %" PRId64 ": has blocks, but no block_tokens", q->id);
}

static void remember(struct checker *c, const struct rec_request *q)
{
	int added = q->id < 0 ? 0 : idmap_add(&c->requests, (uint64_t)q->id, c->n);

	if (q->id < 0)
		fault(c, "request without an id");
	else if (added == 0)
		fault(c, "request %" PRId64 ": a second one with this id", q->id);
	if (added > 0 && c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 256;
		struct asked *a = realloc(c->asked, cap * sizeof(*a));

		if (!a)
			added = -1;
		else
			c->asked = a;
		c->cap = a ? cap : c->cap;
	}
	if (added > 0)
		c->asked[c->n++] =
			(struct asked){ q->sent_ns, NS_NONE, NS_NONE, 0, false };
	c->oom |= added < 0;
}

static void check_request(struct checker *c, const struct rec_request *q)
{
	if (c->requests_here++ == 0)
		c->first_request = q->id;
	not_negative(c, "request", q->id, "scheduled_ns", q->scheduled_ns);
	not_negative(c, "request", q->id, "queued_ns", q->queued_ns);
	not_negative(c, "request", q->id, "sent_ns", q->sent_ns);
	if (q->queued_ns != NS_NONE && q->sent_ns != NS_NONE && q->queued_ns > q->sent_ns)
		fault(c, "request %" PRId64 ": sent before it was queued", q->id);
	check_links(c, q);
	check_body(c, q);
	remember(c, q);
}

static void check_parts(struct checker *c, const struct rec_response *s, struct asked *a)
{
	if (a->ended)
		fault(c, "response %" PRId64 ": goes on after its last part", s->id);
	else if (s->part != a->next_part)
		fault(c,
		      "response %" PRId64 ": part %" PRId64 " where part %" PRId64
		      " should be",
		      s->id, s->part, a->next_part);
	a->next_part = s->part + 1;
	a->ended |= s->last;
	if (s->last && s->status == ST_NONE)
		fault(c, "response %" PRId64 ": ended without a status", s->id);
}

static void check_events(struct checker *c, const struct rec_response *s, struct asked *a)
{
	const struct events *ev = &s->events;

	if (ev->n == 0)
		return;
	if (a->first_event_ns == NS_NONE) {
		a->first_event_ns = ev->t_ns[0];
		in_order(c, s->id, "the request's sent_ns", a->sent_ns, "its first event",
			 ev->t_ns[0]);
		not_negative(c, "response", s->id, "its first event", ev->t_ns[0]);
	}
	in_order(c, s->id, "the part before", a->last_event_ns, "this part", ev->t_ns[0]);
	for (size_t i = 1; i < ev->n; i++) {
		if (ev->t_ns[i] >= ev->t_ns[i - 1])
			continue;
		fault(c,
		      "response %" PRId64 ": event %zu is earlier than the one before it",
		      s->id, i);
		break;
	}
	a->last_event_ns = ev->t_ns[ev->n - 1];
}

static void check_response(struct checker *c, const struct rec_response *s)
{
	struct asked *a;
	size_t at;

	c->responses_here += s->last;
	c->events_here += (int64_t)s->events.n;
	if (s->id < 0 || !idmap_find(&c->requests, (uint64_t)s->id, &at)) {
		fault(c, "response %" PRId64 ": no such request before it", s->id);
		return;
	}
	a = &c->asked[at];
	check_parts(c, s, a);
	check_events(c, s, a);
	if (!s->last)
		return;
	in_order(c, s->id, "the request's sent_ns", a->sent_ns, "written_ns", s->written_ns);
	in_order(c, s->id, "written_ns", s->written_ns, "headers_ns", s->headers_ns);
	in_order(c, s->id, "the request's sent_ns", a->sent_ns, "headers_ns",
		 s->headers_ns);
	in_order(c, s->id, "headers_ns", s->headers_ns, "first_byte_ns",
		 s->first_byte_ns);
	in_order(c, s->id, "first_byte_ns", s->first_byte_ns, "end_ns", s->end_ns);
	in_order(c, s->id, "the request's sent_ns", a->sent_ns, "end_ns", s->end_ns);
	/* Not the last one: what comes behind the end marker is kept, too. */
	in_order(c, s->id, "its first event", a->first_event_ns, "end_ns", s->end_ns);
}

static void equal(struct checker *c, const char *what, int64_t said, int64_t counted)
{
	if (said != COUNT_NONE && said != counted)
		fault(c, "end: says %" PRId64 " %s, but the segment has %" PRId64, said,
		      what, counted);
}

static void check_end(struct checker *c, const struct rec_end *n)
{
	equal(c, "requests", n->requests, c->requests_here);
	equal(c, "responses", n->responses, c->responses_here);
	equal(c, "events", n->events, c->events_here);
	not_negative(c, "end", 0, "t_ns", n->t_ns);
	if (n->dropped > 0)
		fault(c, "end: %" PRId64 " records were dropped while writing",
		      n->dropped);
	c->open = false;
}

static void check_record(struct checker *c, const struct record *r)
{
	if (!c->open && r->kind != REC_HEADER)
		fault(c, "%s record after the segment's end", rec_kind_name(r->kind));
	switch (r->kind) {
	case REC_HEADER: begin_segment(c, &r->u.header); break;
	case REC_PHASE: check_phase(c, &r->u.phase); break;
	case REC_REQUEST: check_request(c, &r->u.request); break;
	case REC_RESPONSE: check_response(c, &r->u.response); break;
	case REC_SAMPLE: not_negative(c, "sample", 0, "t_ns", r->u.sample.t_ns); break;
	case REC_CLIENT: not_negative(c, "client", 0, "t_ns", r->u.client.t_ns); break;
	case REC_END: check_end(c, &r->u.end); break;
	default: break;
	}
	c->r->requests += r->kind == REC_REQUEST;
	c->r->responses += r->kind == REC_RESPONSE && r->u.response.last;
	c->r->events += r->kind == REC_RESPONSE ? (int64_t)r->u.response.events.n : 0;
}

int check_trace(const char *path, const struct check_listener *l, struct check_result *r,
		struct err *e)
{
	struct checker c = { .l = l, .r = r };
	struct trace_reader *t;
	struct record rec;
	int rc;

	*r = (struct check_result){ .records = 0 };
	if (trace_reader_open(path, &t, e) < 0)
		return -1;
	while ((rc = trace_next(t, &rec, e)) > 0 && !c.oom) {
		c.record = trace_reader_records(t);
		check_record(&c, &rec);
	}
	r->records = trace_reader_records(t);
	r->cut = rc < 0 && trace_reader_cut(t);
	r->damaged = rc < 0 && !r->cut;
	trace_reader_close(t);
	idmap_release(&c.requests);
	idmap_release(&c.phases);
	free(c.asked);
	return c.oom ? err_set(e, "%s: out of memory", path) : 0;
}
