/* Time per chunk of a chat stream, from bytes to events: one chunk a read, and all in one read. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"

enum { CHUNKS = 1000, ROUNDS = 300 };

static void count(void *arg, const struct event *e)
{
	*(int64_t *)arg += e->cls == EV_CONTENT;
}

static void make(struct buf *b)
{
	for (int i = 0; i < CHUNKS; i++)
		buf_printf(b, "data: {\"id\":\"chatcmpl-5f0b8d6f2b1c4d2f9a3e7c1d8b6a4f20\",\"object\":"
				"\"chat.completion.chunk\",\"created\":1900000000,\"model\":\"org/model-9b-instruct\","
				"\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"logprobs\":null,"
				"\"finish_reason\":null,\"token_ids\":null}]}\n\n", i % 10);
}

static void measure(const char *name, const struct buf *b, size_t step)
{
	int64_t tokens = 0, begin = clock_mono_ns(), ns;

	for (int r = 0; r < ROUNDS; r++) {
		struct api *a = api_create(API_CHAT, 1 << 20, count, &tokens);

		if (!a)
			exit(1);
		for (size_t i = 0; i < b->n; i += step)
			api_feed(a, b->p + i, b->n - i < step ? b->n - i : step, 0);
		api_free(a);
	}
	ns = clock_mono_ns() - begin;
	if (tokens != (int64_t)CHUNKS * ROUNDS)
		exit(1);
	printf("sse+chat, %s: %.0f ns per chunk, %.0f MB/s\n", name, (double)ns / (double)tokens,
			(double)b->n * ROUNDS * 1e3 / (double)ns);
}

int main(void)
{
	struct buf b;

	buf_init(&b, 16 << 20);
	make(&b);
	measure("one chunk a read", &b, b.n / CHUNKS);
	measure("64 KiB a read", &b, 65536);
	measure("all in one read", &b, b.n);
	buf_release(&b);
	return 0;
}
