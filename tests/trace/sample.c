/*
 * Writes a small trace to the named file: three requests whose answers are plain text,
 * text beyond ASCII, and bytes that are no UTF-8.
 */
#include <config.h>

#include "formats/trace/writer.h"

static void put(struct trace_writer *w, const struct record *r)
{
	struct err e;

	if (trace_write(w, r, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
}

static void put_exchange(struct trace_writer *w, int64_t id, const char *const *texts)
{
	struct record r;
	struct events *ev = &r.u.response.events;

	record_init(&r, REC_REQUEST);
	r.u.request.id = id;
	r.u.request.sent_ns = id * NS_PER_S;
	r.u.request.body = str_of("{\"model\":\"m\"}");
	put(w, &r);
	record_init(&r, REC_RESPONSE);
	r.u.response.id = id;
	r.u.response.last = true;
	r.u.response.status = ST_OK;
	events_init(ev, true, 1 << 20);
	for (int i = 0; texts[i]; i++) {
		struct event e = { .t_ns = id * NS_PER_S + 310 * NS_PER_MS + i * 20 * NS_PER_MS,
			.cls = EV_CONTENT, .flags = EVF_CHOICES, .cum_tokens = COUNT_NONE,
			.text = str_of(texts[i]), .text_len = strlen(texts[i]) };

		if (events_add(ev, &e) < 0)
			die(EXIT_FAILED, "out of memory");
	}
	put(w, &r);
	events_release(ev);
}

int main(int argc, char **argv)
{
	static const char *const plain[] = { "Red", " fox", " ran", NULL };
	static const char *const wide[] = { "\xe4\xbd\xa0", "\xf0\x9f\x99\x82", NULL };
	static const char *const broken[] = { "a\xff", "b", NULL };
	struct trace_writer *w;
	struct record r;
	struct err e;

	if (argc != 2)
		die(EXIT_USAGE, "one operand: the file to write");
	if (trace_writer_open(argv[1], &w, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	record_init(&r, REC_HEADER);
	r.u.header.tool = str_of("sample");
	put(w, &r);
	put_exchange(w, 0, plain);
	put_exchange(w, 1, wide);
	put_exchange(w, 2, broken);
	if (trace_writer_close(w, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	return EXIT_OK;
}
