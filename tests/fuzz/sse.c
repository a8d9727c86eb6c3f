/*
 * Any bytes as server-sent events, fed whole, byte by byte and in odd pieces, against a plain
 * reading of the standard: cut into lines first, then look at each line.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>

#include "formats/wire/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 1 << 20 };

static void put(struct buf *out, enum sse_kind kind, struct str type, struct str data)
{
	buf_printf(out, "%d %d/%zu/%zu:", (int)kind, type.p != NULL, type.n, data.n);
	buf_add(out, type.p ? type.p : "", type.n);
	buf_add(out, data.p ? data.p : "", data.n);
}

static int note(void *arg, const struct sse_event *ev)
{
	put(arg, ev->kind, ev->type, ev->data);
	return 0;
}

static void feed(const char *p, size_t n, size_t step, struct buf *out)
{
	struct sse s;

	sse_init(&s, MAX, note, out);
	for (size_t i = 0; i < n; i += step)
		if (sse_feed(&s, p + i, n - i < step ? n - i : step) < 0)
			abort();
	sse_release(&s);
}

/* One block of the plain reading. */
struct block {
	struct buf data, type, fields;
	int n_data, n_fields, has_type;
};

static void end_block(struct block *b, struct buf *out)
{
	struct str type = b->has_type ? buf_str(&b->type) : (struct str){ NULL, 0 };

	if (b->n_data)
		put(out, SSE_DATA, type, (struct str){ b->data.p, b->data.n - 1 });
	else if (b->n_fields)
		put(out, SSE_NODATA, type, (struct str){ b->fields.p, b->fields.n - 1 });
	buf_clear(&b->data);
	buf_clear(&b->type);
	buf_clear(&b->fields);
	b->n_data = b->n_fields = b->has_type = 0;
}

static void plain_line(struct block *b, const char *p, size_t n, struct buf *out)
{
	size_t name = 0, value;

	while (name < n && p[name] != ':')
		name++;
	value = name + (name < n);
	value += value < n && p[value] == ' ';
	if (n == 0) {
		end_block(b, out);
		return;
	}
	if (name == 0) {
		put(out, SSE_COMMENT, b->has_type ? buf_str(&b->type) : (struct str){ NULL, 0 },
				(struct str){ p + 1, n - 1 });
		return;
	}
	if (name == 4 && memcmp(p, "data", 4) == 0) {
		b->n_data++;
		buf_add(&b->data, p + value, n - value);
		buf_adds(&b->data, "\n");
		return;
	}
	if (name == 5 && memcmp(p, "event", 5) == 0) {
		b->has_type = 1;
		buf_clear(&b->type);
		buf_add(&b->type, p + value, n - value);
	}
	b->n_fields++;
	buf_add(&b->fields, p, n);
	buf_adds(&b->fields, "\n");
}

static void plain(const char *p, size_t n, struct buf *out)
{
	struct block b = { .n_data = 0 };
	size_t at = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	buf_init(&b.data, MAX);
	buf_init(&b.type, MAX);
	buf_init(&b.fields, MAX);
	for (size_t i = at; i < n; i++) {
		if (p[i] != '\r' && p[i] != '\n')
			continue;
		plain_line(&b, p + at, i - at, out);
		i += p[i] == '\r' && i + 1 < n && p[i + 1] == '\n';
		at = i + 1;
	}
	buf_release(&b.data);
	buf_release(&b.type);
	buf_release(&b.fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t steps[] = { size ? size : 1, 1, 2, 3, 7, 64 };
	struct buf want, got;

	buf_init(&want, 1 << 24);
	buf_init(&got, 1 << 24);
	plain((const char *)data, size, &want);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		buf_clear(&got);
		feed((const char *)data, size, steps[i], &got);
		if (!str_eq(buf_str(&want), buf_str(&got)))
			abort();
	}
	buf_release(&want);
	buf_release(&got);
	return 0;
}
