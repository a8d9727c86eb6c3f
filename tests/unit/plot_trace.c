/*
 * Writes a run with known times, for the tests of tokplot:
 *   plot_trace FILE [MODEL [failed]]
 * Levels 1, 8 and 32 after one another; at each, 12 requests, one a second, of 500 and
 * 5000 input tokens in turn.  TTFT is the level times 10 ms, or times 20 ms for the long
 * ones; then four more tokens 20 ms apart.  At level 8 a 13th request fails; with
 * "failed" all do.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "formats/trace/writer.h"

enum { PER_LEVEL = 12, TOKENS = 5, GAP_MS = 20 };

static const int64_t levels[] = { 1, 8, 32 };

static void put(struct trace_writer *w, const struct record *r)
{
	struct err e;

	if (trace_write(w, r, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
}

static void put_phase(struct trace_writer *w, int64_t id, int64_t begin_ns, int64_t end_ns)
{
	struct record r;

	record_init(&r, REC_PHASE);
	r.u.phase.id = id;
	r.u.phase.kind = PHASE_ROUND;
	r.u.phase.concurrency = levels[id];
	r.u.phase.round = 1;
	r.u.phase.timing = str_of("closed");
	r.u.phase.begin_ns = begin_ns;
	r.u.phase.end_ns = end_ns;
	put(w, &r);
}

static void put_request(struct trace_writer *w, int64_t id, int64_t phase, int64_t sent_ns, bool is_long,
	const char *model)
{
	struct record r;

	record_init(&r, REC_REQUEST);
	r.u.request.id = id;
	r.u.request.phase = phase;
	r.u.request.queued_ns = r.u.request.sent_ns = sent_ns;
	r.u.request.method = str_of("POST");
	r.u.request.endpoint = str_of("/v1/chat/completions");
	r.u.request.api = str_of("chat");
	r.u.request.model = str_of(model);
	r.u.request.stream = true;
	r.u.request.choices = 1;
	r.u.request.input_tokens = is_long ? 5000 : 500;
	put(w, &r);
}

static void add_event(struct events *ev, int64_t t_ns, enum event_class cls, const char *text)
{
	struct event e = { .t_ns = t_ns, .cls = cls, .flags = EVF_CHOICES, .cum_tokens = COUNT_NONE,
		.text = str_of(text), .text_len = strlen(text) };

	if (events_add(ev, &e) < 0)
		die(EXIT_FAILED, "out of memory");
}

static void fill_ok(struct rec_response *q, int64_t first_ns, bool is_long)
{
	for (int i = 0; i < TOKENS; i++)
		add_event(&q->events, first_ns + i * GAP_MS * NS_PER_MS, EV_CONTENT, "x");
	q->end_ns = first_ns + (TOKENS - 1) * GAP_MS * NS_PER_MS;
	add_event(&q->events, q->end_ns, EV_FINISH, "stop");
	add_event(&q->events, q->end_ns, EV_DONE, "");
	q->http_status = 200;
	q->status = ST_OK;
	q->finish_reason = str_of("stop");
	q->done_marker = true;
	q->usage.prompt = is_long ? 5000 : 500;
	q->usage.completion = TOKENS;
}

static void put_response(struct trace_writer *w, int64_t id, int64_t first_ns, bool is_long, bool ok)
{
	struct record r;
	struct rec_response *q = &r.u.response;

	record_init(&r, REC_RESPONSE);
	events_init(&q->events, true, 1 << 20);
	q->id = id;
	q->part = 0;
	q->last = true;
	if (ok) {
		fill_ok(q, first_ns, is_long);
	} else {
		q->http_status = 503;
		q->status = ST_ERROR;
		q->error_kind = str_of("http_503");
		q->end_ns = first_ns;
	}
	put(w, &r);
	events_release(&q->events);
}

static void put_level(struct trace_writer *w, int64_t phase, const char *model, bool failed)
{
	int64_t begin_ns = phase * 100 * NS_PER_S, n = PER_LEVEL + (levels[phase] == 8);

	put_phase(w, phase, begin_ns, NS_NONE);
	for (int64_t i = 0; i < n; i++) {
		int64_t id = 100 * phase + i, sent_ns = begin_ns + i * NS_PER_S;
		bool is_long = i % 2;
		int64_t ttft_ms = levels[phase] * (is_long ? 20 : 10);

		put_request(w, id, phase, sent_ns, is_long, model);
		put_response(w, id, sent_ns + ttft_ms * NS_PER_MS, is_long, !failed && i < PER_LEVEL);
	}
	put_phase(w, phase, begin_ns, begin_ns + 20 * NS_PER_S);
}

int main(int argc, char **argv)
{
	const char *model = argc > 2 ? argv[2] : "m";
	struct kv target[] = { { str_of("model"), str_of(model) }, { str_of("engine"), str_of("vllm") },
		{ str_of("engine_version"), str_of("0.9.1") } };
	struct trace_writer *w;
	struct trace_origin *o = trace_origin_create(1, argv);
	struct record r;
	struct err e;

	if (argc < 2 || !o || trace_writer_open(argv[1], &w, &e) < 0)
		die(EXIT_FAILED, "cannot write the trace");
	record_init(&r, REC_HEADER);
	trace_origin_fill(o, &r.u.header);
	r.u.header.target = (struct kvs){ target, sizeof(target) / sizeof(*target) };
	put(w, &r);
	for (int64_t i = 0; i < 3; i++)
		put_level(w, i, model, argc > 3);
	record_init(&r, REC_END);
	trace_writer_counts(w, &r.u.end);
	r.u.end.t_ns = 300 * NS_PER_S;
	put(w, &r);
	trace_origin_free(o);
	if (trace_writer_close(w, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	return EXIT_OK;
}
