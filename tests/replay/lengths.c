/*
 * Makes a trace of requests without bodies: lines "ARRIVAL_MS INPUT OUTPUT [BLOCK...]"
 * (blocks of 16 tokens) on stdin -> the trace named by the argument.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/trace/writer.h"

enum { BLOCKS_MAX = 64, LINE_MAX_BYTES = 2048 };

static void write_record(struct trace_writer *w, const struct record *r)
{
	struct err e;

	if (trace_write(w, r, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
}

static void write_line(struct trace_writer *w, const char *line, int64_t id)
{
	uint64_t blocks[BLOCKS_MAX];
	struct record r;
	int64_t ms;
	int at;

	record_init(&r, REC_REQUEST);
	if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64 "%n", &ms, &r.u.request.input_tokens,
		   &r.u.request.output_tokens, &at) != 3)
		die(EXIT_FAILED, "bad line: %s", line);
	r.u.request.id = id;
	r.u.request.scheduled_ns = ms * NS_PER_MS;
	for (char *end; r.u.request.n_blocks < BLOCKS_MAX; line = end, at = 0) {
		uint64_t v = strtoull(line + at, &end, 10);

		if (end == line + at)
			break;
		blocks[r.u.request.n_blocks++] = v;
	}
	r.u.request.blocks = blocks;
	r.u.request.block_tokens = r.u.request.n_blocks ? 16 : COUNT_NONE;
	write_record(w, &r);
}

int main(int argc, char **argv)
{
	struct trace_origin *o = trace_origin_create(1, argv);
	char line[LINE_MAX_BYTES];
	struct trace_writer *w;
	struct record r;
	struct err e;

	if (argc != 2 || trace_writer_open(argv[1], &w, &e) < 0)
		die(EXIT_FAILED, "cannot write");
	record_init(&r, REC_HEADER);
	trace_origin_fill(o, &r.u.header);
	write_record(w, &r);
	for (int64_t id = 0; fgets(line, sizeof(line), stdin); id++)
		write_line(w, line, id);
	record_init(&r, REC_END);
	trace_writer_counts(w, &r.u.end);
	write_record(w, &r);
	trace_origin_free(o);
	return trace_writer_close(w, &e) < 0 ? EXIT_FAILED : EXIT_OK;
}
