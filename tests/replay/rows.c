/*
 * Prints a run's trace as rows of words for shell tests, absent as "-":
 *   header PLAN_DIGEST SOURCE_DIGEST MODEL ENGINE
 *   phase ID KIND CONCURRENCY BEGIN_MS END_MS VERDICT            (ended ones)
 *   request ID PHASE SOURCE_ID LANE SCHEDULED_MS SENT_MS BODY_SHA256 AUTHORIZATION
 *   response ID STATUS ERROR_KIND OUTPUT_TOKENS CACHED_TOKENS    (last parts)
 *   end REQUESTS RESPONSES INTERRUPTED
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/trace/reader.h"

static void word(struct str s)
{
	if (s.n)
		printf(" %.*s", (int)s.n, s.p);
	else
		fputs(" -", stdout);
}

static void number(int64_t v, int64_t none)
{
	if (v == none)
		fputs(" -", stdout);
	else
		printf(" %" PRId64, v);
}

static void ms(int64_t ns)
{
	if (ns == NS_NONE)
		fputs(" -", stdout);
	else
		printf(" %.3f", (double)ns / 1e6);
}

static struct str value(struct kvs kvs, const char *key)
{
	for (size_t i = 0; i < kvs.n; i++)
		if (str_is(kvs.v[i].key, key))
			return kvs.v[i].value;
	return (struct str){ NULL, 0 };
}

static void print_request(const struct rec_request *q)
{
	fputs("request", stdout);
	number(q->id, COUNT_NONE);
	number(q->phase, COUNT_NONE);
	number(q->source_id, COUNT_NONE);
	number(q->lane, COUNT_NONE);
	ms(q->scheduled_ns);
	ms(q->sent_ns);
	word(q->body_digest);
	word(value(q->headers, "Authorization"));
	putchar('\n');
}

static void print_phase(const struct rec_phase *p)
{
	if (p->end_ns == NS_NONE)
		return;
	printf("phase %" PRId64 " %s", p->id, phase_kind_name(p->kind));
	number(p->concurrency, COUNT_NONE);
	ms(p->begin_ns);
	ms(p->end_ns);
	word(p->verdict);
	putchar('\n');
}

static void print_response(const struct rec_response *r)
{
	if (!r->last)
		return;
	printf("response %" PRId64 " %s", r->id, status_name(r->status));
	word(r->error_kind);
	number(r->usage.completion, COUNT_NONE);
	number(r->usage.cached, COUNT_NONE);
	putchar('\n');
}

static void print(const struct record *r)
{
	switch (r->kind) {
	case REC_HEADER:
		fputs("header", stdout);
		word(r->u.header.plan_digest);
		word(r->u.header.source_digest);
		word(value(r->u.header.target, "model"));
		word(value(r->u.header.target, "engine"));
		putchar('\n');
		break;
	case REC_PHASE:
		print_phase(&r->u.phase);
		break;
	case REC_REQUEST:
		print_request(&r->u.request);
		break;
	case REC_RESPONSE:
		print_response(&r->u.response);
		break;
	case REC_END:
		printf("end %" PRId64 " %" PRId64 " %d\n", r->u.end.requests, r->u.end.responses,
		       r->u.end.interrupted);
		break;
	default:
		break;
	}
}

int main(int argc, char **argv)
{
	struct trace_reader *t;
	struct record r;
	struct err e;
	int rc;

	if (argc != 2 || trace_reader_open(argv[1], &t, &e) < 0)
		die(EXIT_FAILED, "cannot read");
	while ((rc = trace_next(t, &r, &e)) == 1)
		print(&r);
	trace_reader_close(t);
	if (rc < 0)
		die(EXIT_FAILED, "%s", e.msg);
	return EXIT_OK;
}
