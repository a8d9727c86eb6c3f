/*
 * Writes a small trace with known times, sound or with one fault: convert_trace KIND FILE.
 * Two requests; the first is answered in two parts.
 */
#include <config.h>

#include <stdio.h>

#include "formats/base/digest.h"
#include "formats/trace/writer.h"

static const char *kind;
static struct trace_writer *w;

static bool is(const char *k)
{
	return strcmp(kind, k) == 0;
}

static void put(const struct record *r)
{
	struct err e;

	if (trace_write(w, r, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
}

static void put_header(void)
{
	struct record r;

	record_init(&r, REC_HEADER);
	r.u.header.epoch_wall_ns = is("later") ? 5000000000 : 0;
	r.u.header.epoch_mono_ns = 0;
	put(&r);
}

static void put_phase(void)
{
	struct record r;

	record_init(&r, REC_PHASE);
	r.u.phase.id = 0;
	r.u.phase.kind = PHASE_ROUND;
	r.u.phase.concurrency = 1;
	r.u.phase.begin_ns = 0;
	put(&r);
}

static void put_first_request(void)
{
	static const char body[] = "{\"a\":1}";
	static const uint64_t blocks[] = { 0, UINT64_MAX };
	char hex[DIGEST_HEX + 1];
	struct record r;

	digest_bytes(is("digest") ? "" : body, is("digest") ? 0 : strlen(body), hex);
	record_init(&r, REC_REQUEST);
	r.u.request.id = 0;
	r.u.request.phase = is("phase") ? 5 : 0;
	r.u.request.parent = is("parent") ? 7 : COUNT_NONE;
	r.u.request.sent_ns = is("negative") ? -1 : 1000;
	r.u.request.body = str_of(body);
	r.u.request.body_len = (int64_t)strlen(body) + is("length");
	r.u.request.body_digest = str_of(hex);
	r.u.request.input_tokens = 600;
	r.u.request.output_tokens = 4;
	r.u.request.block_tokens = is("blocks") ? COUNT_NONE : 512;
	r.u.request.blocks = blocks;
	r.u.request.n_blocks = 2;
	put(&r);
}

static void add(struct events *ev, int64_t t_ns, enum event_class cls, unsigned flags,
		int64_t cum, const char *text)
{
	struct event e = { .t_ns = t_ns,
			   .cls = cls,
			   .flags = flags,
			   .cum_tokens = cum,
			   .text = str_of(text),
			   .text_len = strlen(text) };

	if (events_add(ev, &e) < 0)
		die(EXIT_FAILED, "out of memory");
}

static void put_response(struct record *r)
{
	put(r);
	events_release(&r->u.response.events);
}

static void end_response(struct rec_response *s, int64_t end_ns)
{
	s->last = true;
	s->end_ns = end_ns;
	s->http_status = 200;
	s->status = is("status") && s->id == 0 ? ST_NONE : ST_OK;
}

static void put_first_response(void)
{
	struct record r;
	struct rec_response *s = &r.u.response;

	record_init(&r, REC_RESPONSE);
	s->id = s->part = 0;
	events_init(&s->events, true, 1 << 20);
	add(&s->events, is("early") ? 990 : 1010, EV_ROLE, EVF_CHOICES, COUNT_NONE,
	    "assistant");
	add(&s->events, 1020, EV_CONTENT, EVF_COALESCED | EVF_CHOICES, 1,
	    "a\"\n\001\303\251");
	put_response(&r);

	record_init(&r, REC_RESPONSE);
	s->id = 0;
	s->part = is("part") ? 2 : 1;
	events_init(&s->events, true, 1 << 20);
	add(&s->events, 1030, EV_CONTENT, EVF_CHOICES, 2, "b");
	add(&s->events, is("backwards") ? 1029 : 1040, EV_CONTENT, EVF_CHOICES,
	    COUNT_NONE, "x\377y");
	end_response(s, is("late") ? 1005 : 1050);
	put_response(&r);
}

static void put_second(void)
{
	struct record r;

	record_init(&r, REC_REQUEST);
	r.u.request.id = is("twice") ? 0 : 1;
	r.u.request.sent_ns = 2000;
	r.u.request.body = (struct str){ "\0\377", 2 };
	put(&r);
	if (is("twice"))
		return;
	record_init(&r, REC_RESPONSE);
	r.u.response.id = is("orphan") ? 9 : 1;
	r.u.response.part = 0;
	events_init(&r.u.response.events, true, 1 << 20);
	add(&r.u.response.events, 2010, EV_CONTENT, EVF_CHOICES, COUNT_NONE, "z");
	end_response(&r.u.response, 2020);
	r.u.response.usage.completion = 3;
	put_response(&r);
}

static void put_end(void)
{
	struct record r;

	record_init(&r, REC_END);
	if (!is("unended"))
		trace_writer_counts(w, &r.u.end);
	r.u.end.responses += is("counts");
	r.u.end.t_ns = 3000;
	put(&r);
}

int main(int argc, char **argv)
{
	struct err e;

	if (argc != 3 || trace_writer_open(argv[2], &w, &e) < 0)
		die(EXIT_USAGE, "convert_trace KIND FILE");
	kind = argv[1];
	put_header();
	put_phase();
	put_first_request();
	put_first_response();
	put_second();
	if (is("unfinished")) {
		/* As a killed recorder leaves it: flushed, but never closed. */
		return trace_writer_flush(w, &e) < 0 ? EXIT_FAILED : EXIT_OK;
	}
	if (is("unended"))
		put_header();
	put_end();
	if (trace_writer_close(w, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	return EXIT_OK;
}
