/*
 * Any bytes as a stream: the first byte says where it is split; both ways give the same
 * events.  And as a whole body, whose every text is well bounded.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>

#include "formats/wire/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const enum api_kind kinds[] = {
	API_COMPLETIONS, API_CHAT, API_RESPONSES, API_MESSAGES, API_OLLAMA_CHAT, API_OLLAMA_GENERATE,
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static void note(void *arg, const struct event *e)
{
	struct buf *b = arg;

	buf_printf(b, "%d/%d/%d/", (int)e->cls, (int)e->choice, (int)(e->flags & ~(unsigned)EVF_COALESCED));
	buf_add(b, e->text.p, e->text.n);
}

static void feed(const uint8_t *data, size_t size, size_t step, enum api_kind k, struct buf *out)
{
	struct api *a = api_create(k, 1 << 16, note, out);
	int rc = 0;

	for (size_t i = 0; i < size && rc == 0; i += step)
		rc = api_feed(a, (const char *)data + i, size - i < step ? size - i : step, 0);
	if (rc == 0)
		api_end(a, 0);
	api_free(a);
}

static void whole_body(const uint8_t *data, size_t size, enum api_kind k, struct buf *out)
{
	struct api *a = api_create(k, 1 << 16, note, out);
	struct api_summary s;

	api_feed_json(a, (const char *)data, size, 0);
	api_summary(a, &s);
	/* A body is an answer or a failure, never both and never neither. */
	if (s.done == s.error)
		abort();
	api_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum api_kind k = size ? kinds[data[0] % KINDS] : API_CHAT;
	struct buf whole, split;

	buf_init(&whole, 1 << 24);
	buf_init(&split, 1 << 24);
	if (size > 1) {
		feed(data + 1, size - 1, size, k, &whole);
		feed(data + 1, size - 1, 1 + data[0] / 2, k, &split);
		if (!str_eq(buf_str(&whole), buf_str(&split)))
			abort();
		buf_clear(&whole);
		whole_body(data + 1, size - 1, k, &whole);
	}
	buf_release(&whole);
	buf_release(&split);
	return 0;
}
