/*
 * Writes a hand-made trace for the tests of tokserve: one exchange for each way in which
 * a response can go.  Times are ms from the request's begin.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/digest.h"
#include "formats/trace/writer.h"

struct line {
	int t_ms;
	enum event_class cls;
	unsigned flags;
	int64_t cum;
	const char *text;
};

struct story {
	const char *endpoint, *api, *body;
	bool stream;
	int http_status;
	enum status status;
	const char *error_kind, *finish, *raw, *type;
	int headers_ms, end_ms;
	struct line lines[16];    /* up to the first without a time */
};

enum { PART = EVF_PART, TOGETHER = EVF_COALESCED, CH = EVF_CHOICES };

#define CHAT "/v1/chat/completions", "chat"
#define COMPLETIONS "/v1/completions", "completions"
#define ASK(x) "{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"" x "\"}]}"

static const struct story stories[] = {
	{ CHAT, ASK("first"), true, 200, ST_OK, NULL, "stop", NULL, "text/event-stream", 40, 260, {
		{ 50, EV_ROLE, CH, -1, "assistant" },
		{ 100, EV_REASONING, CH, -1, "Let" },
		{ 120, EV_CONTENT, CH, -1, "Red" },
		{ 140, EV_CONTENT, CH, -1, " \"fox\"\n\t\\" },
		{ 140, EV_CONTENT, CH | TOGETHER, -1, " r\xc3\xa4n" },
		{ 250, EV_CONTENT, CH, -1, "\xf0\x9f\x98\x80." },
		{ 250, EV_FINISH, CH | PART | TOGETHER, -1, "stop" },
		{ 255, EV_USAGE, 0, 5, "{\"prompt_tokens\":9,\"completion_tokens\":5,\"total_tokens\":14}" },
		{ 260, EV_DONE, 0, -1, NULL } } },
	{ CHAT, ASK("first"), true, 200, ST_OK, NULL, "stop", NULL, "text/event-stream", 10, 60, {
		{ 30, EV_CONTENT, CH, -1, "Again" },
		{ 60, EV_FINISH, CH, -1, "stop" },
		{ 60, EV_USAGE, TOGETHER, 1, "{\"prompt_tokens\":9,\"completion_tokens\":1,\"total_tokens\":10}" },
		{ 60, EV_DONE, TOGETHER, -1, NULL } } },
	{ COMPLETIONS, "{\"stream\":true,\"prompt\":\"x\"}", true, 200, ST_OK, NULL, "length", NULL,
	  "text/event-stream", 20, 300, {
		{ 80, EV_CONTENT, CH, 1, "one" },
		{ 180, EV_CONTENT, CH, 2, " two" },
		{ 300, EV_CONTENT, CH, 3, " three" },
		{ 300, EV_FINISH, CH | PART | TOGETHER, 3, "length" },
		{ 300, EV_DONE, TOGETHER, -1, NULL } } },
	{ CHAT, ASK("busy"), true, 503, ST_ERROR, "http_503", NULL, "<h1>busy</h1>", "text/html", 30, 30,
	  { { 0 } } },
	{ CHAT, ASK("cut"), true, 200, ST_TRUNCATED, "truncated", NULL, NULL, "text/event-stream", 10, 70, {
		{ 20, EV_CONTENT, CH, -1, "half" },
		{ 40, EV_CONTENT, CH, -1, " a" } } },
	{ CHAT, ASK("silent"), true, 200, ST_TIMEOUT, "idle_timeout", NULL, NULL, "text/event-stream", 10, 70, {
		{ 20, EV_CONTENT, CH, -1, "then nothing" } } },
	{ CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"whole\"}]}", false, 200, ST_OK, NULL, "stop",
	  "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"in one piece\"},"
	  "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
	  "\"total_tokens\":7}}",
	  "application/json", 80, 80, {
		{ 80, EV_CONTENT, CH, -1, "in one piece" },
		{ 80, EV_FINISH, CH | PART | TOGETHER, -1, "stop" } } },
	{ CHAT, ASK("in band"), true, 200, ST_ERROR, "in_band", NULL, NULL, "text/event-stream", 10, 60, {
		{ 20, EV_CONTENT, CH, -1, "so far" },
		{ 60, EV_ERROR, 0, -1, "{\"error\":{\"message\":\"engine died\",\"code\":500}}" } } },
	{ CHAT, ASK("refused"), true, 0, ST_ERROR, "connect", NULL, NULL, NULL, 0, 20, { { 0 } } },
};

enum { STORIES = sizeof(stories) / sizeof(stories[0]) };

static struct str maybe(const char *s)
{
	return str_of(s);
}

static void must(int rc, const struct err *e)
{
	if (rc < 0)
		die(EXIT_FAILED, "%s", e->msg);
}

static int64_t at(int64_t begin_ns, int t_ms)
{
	return begin_ns + t_ms * NS_PER_MS;
}

static void write_request(struct trace_writer *w, const struct story *s, int64_t id, int64_t begin_ns)
{
	struct record r;
	struct err e;
	char digest[DIGEST_HEX + 1];

	record_init(&r, REC_REQUEST);
	digest_bytes(s->body, strlen(s->body), digest);
	r.u.request.id = id;
	r.u.request.sent_ns = r.u.request.queued_ns = begin_ns;
	r.u.request.method = str_of("POST");
	r.u.request.endpoint = str_of(s->endpoint);
	r.u.request.api = str_of(s->api);
	r.u.request.model = str_of("recorded-model");
	r.u.request.stream = s->stream;
	r.u.request.choices = 1;
	r.u.request.body = str_of(s->body);
	r.u.request.body_len = (int64_t)strlen(s->body);
	r.u.request.body_digest = str_of(digest);
	must(trace_write(w, &r, &e), &e);
}

static void add_lines(struct events *ev, const struct story *s, int64_t begin_ns)
{
	for (const struct line *l = s->lines; l->t_ms; l++) {
		struct event e = { .t_ns = at(begin_ns, l->t_ms), .cls = l->cls, .flags = l->flags,
				   .cum_tokens = l->cum, .text = maybe(l->text) };

		e.text_len = e.text.n;
		if (events_add(ev, &e) < 0)
			die(EXIT_FAILED, "out of memory");
	}
}

static void write_response(struct trace_writer *w, const struct story *s, int64_t id, int64_t begin_ns)
{
	struct record r;
	struct rec_response *q = &r.u.response;
	struct err e;

	record_init(&r, REC_RESPONSE);
	events_init(&q->events, true, 1 << 20);
	add_lines(&q->events, s, begin_ns);
	q->id = id;
	q->part = 0;
	q->last = true;
	if (s->http_status) {
		q->http_status = s->http_status;
		q->headers_ns = q->first_byte_ns = at(begin_ns, s->headers_ms);
	}
	q->end_ns = at(begin_ns, s->end_ms);
	q->status = s->status;
	q->error_kind = maybe(s->error_kind);
	q->finish_reason = maybe(s->finish);
	q->raw = maybe(s->raw);
	q->content_type = maybe(s->type);
	q->model = str_of("recorded-model");
	q->done_marker = s->status == ST_OK && s->stream;
	if (s->status == ST_OK)
		q->usage = (struct usage){ 9, 3, 12, COUNT_NONE, COUNT_NONE };
	must(trace_write(w, &r, &e), &e);
	events_release(&q->events);
}

/* As imported: arrivals and lengths, nothing else. */
static void write_lengths(struct trace_writer *w)
{
	struct record r;
	struct err e;

	for (int64_t i = 0; i < 12; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = i;
		r.u.request.scheduled_ns = i * 20 * NS_PER_MS;
		r.u.request.input_tokens = 40 + i * 9;
		r.u.request.output_tokens = 8 + i;
		must(trace_write(w, &r, &e), &e);
	}
}

static void write_stories(struct trace_writer *w, bool responses)
{
	for (int64_t i = 0; i < STORIES; i++) {
		write_request(w, &stories[i], i, i * NS_PER_S);
		if (responses)
			write_response(w, &stories[i], i, i * NS_PER_S);
	}
}

/* mktrace FILE [requests | lengths] */
int main(int argc, char **argv)
{
	struct trace_writer *w;
	struct trace_origin *o;
	struct record r;
	struct err e;
	const char *what = argc > 2 ? argv[2] : "";

	if (argc < 2)
		die(EXIT_USAGE, "usage: mktrace FILE [requests | lengths]");
	must(trace_writer_open(argv[1], &w, &e), &e);
	o = trace_origin_create(argc, argv);
	record_init(&r, REC_HEADER);
	trace_origin_fill(o, &r.u.header);
	must(trace_write(w, &r, &e), &e);
	if (strcmp(what, "lengths") == 0)
		write_lengths(w);
	else
		write_stories(w, strcmp(what, "requests") != 0);
	record_init(&r, REC_END);
	r.u.end.t_ns = STORIES * NS_PER_S;
	trace_writer_counts(w, &r.u.end);
	must(trace_write(w, &r, &e), &e);
	must(trace_writer_close(w, &e), &e);
	trace_origin_free(o);
	return 0;
}
