/* Cost of the trace per token event: encode, decode, bytes on disk. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/rng.h"
#include "formats/trace/decode.h"
#include "formats/trace/encode.h"
#include "formats/trace/writer.h"

enum { EVENTS = 256, ROUNDS = 4000 };

/* Words of one to eight letters, 20 ms apart with a jitter: like a real answer. */
static void fill(struct record *r, uint64_t seed)
{
	static const char letters[] = " eetaoinshrdlucm";
	struct rng g;
	int64_t t = 0;

	rng_init(&g, 1, "answer", seed);
	record_init(r, REC_RESPONSE);
	events_init(&r->u.response.events, true, 1 << 20);
	for (int i = 0; i < EVENTS; i++) {
		char word[8];
		size_t n = 1 + rng_below(&g, sizeof(word));
		struct event e = { .t_ns = t, .cls = EV_CONTENT, .flags = EVF_CHOICES,
			.cum_tokens = COUNT_NONE, .text = { word, n }, .text_len = n };

		for (size_t k = 0; k < n; k++)
			word[k] = letters[rng_below(&g, 16)];
		if (events_add(&r->u.response.events, &e) < 0)
			die(EXIT_FAILED, "out of memory");
		t += 19000000 + (int64_t)rng_below(&g, 2000000);
	}
}

static double per_event(int64_t begin_ns)
{
	return (double)(clock_mono_ns() - begin_ns) / ROUNDS / EVENTS;
}

static void codec(void)
{
	struct decode_store s;
	struct record r, back;
	struct buf b;
	struct err e;
	int64_t begin;

	fill(&r, 0);
	buf_init(&b, 1 << 24);
	decode_store_init(&s, 1 << 24);
	begin = clock_mono_ns();
	for (int i = 0; i < ROUNDS; i++) {
		buf_clear(&b);
		if (record_encode(&r, &b) < 0)
			die(EXIT_FAILED, "encode failed");
	}
	printf("trace encode   %6.1f ns/event  %.2f bytes/event before zstd\n", per_event(begin),
	       (double)b.n / EVENTS);
	begin = clock_mono_ns();
	for (int i = 0; i < ROUNDS; i++)
		if (record_decode(b.p, b.n, &s, &back, &e) < 0)
			die(EXIT_FAILED, "%s", e.msg);
	printf("trace decode   %6.1f ns/event\n", per_event(begin));
	decode_store_release(&s);
	buf_release(&b);
	events_release(&r.u.response.events);
}

static void file(void)
{
	char path[] = "/tmp/toktrace-bench-XXXXXX";
	int fd = mkstemp(path);
	struct trace_writer *w;
	struct record r;
	struct stat st;
	struct err e;
	int64_t begin, spent = 0;

	if (fd < 0 || trace_writer_open(path, &w, &e) < 0)
		die(EXIT_FAILED, "no scratch file");
	close(fd);
	for (uint64_t i = 0; i < 1000; i++) {
		fill(&r, i);
		begin = clock_mono_ns();
		if (trace_write(w, &r, &e) < 0)
			die(EXIT_FAILED, "%s", e.msg);
		spent += clock_mono_ns() - begin;
		events_release(&r.u.response.events);
	}
	if (trace_writer_close(w, &e) < 0 || stat(path, &st) < 0)
		die(EXIT_FAILED, "cannot finish the scratch file");
	unlink(path);
	printf("trace write    %6.1f ns/event  %.2f bytes/event on disk (random letters)\n",
	       (double)spent / 1000 / EVENTS, (double)st.st_size / 1000 / EVENTS);
}

int main(void)
{
	codec();
	file();
	return 0;
}
