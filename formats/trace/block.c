#include <config.h>

#include "formats/trace/block.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum {
	LEVEL = 3,          /* perf: -1 is 8 % larger, -9 only 9 % smaller and far slower */
	OUT_SIZE = 1 << 17,
};
#define SEEK_SKIPPABLE_MAGIC 0x184D2A5Eu
#define SEEK_FOOTER_MAGIC    0x8F92EAB1u

struct frame {
	uint32_t compressed, raw;
};

struct block_writer {
	ZSTD_CCtx *z;
	int fd;
	bool failed;
	size_t raw, compressed;  /* of the open frame */
	size_t unflushed;        /* raw bytes since the last flush */
	int64_t written;         /* bytes given to the file */
	struct frame *frames;
	size_t n_frames, cap_frames;
	unsigned char out[OUT_SIZE];
};

struct block_writer *block_writer_create(int fd)
{
	struct block_writer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->fd = fd;
	b->z = ZSTD_createCCtx();
	if (!b->z) {
		free(b);
		return NULL;
	}
	ZSTD_CCtx_setParameter(b->z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(b->z, ZSTD_c_checksumFlag, 1);
	return b;
}

void block_writer_free(struct block_writer *b)
{
	if (!b)
		return;
	ZSTD_freeCCtx(b->z);
	free(b->frames);
	free(b);
}

static int write_all(struct block_writer *b, const unsigned char *p, size_t n, struct err *e)
{
	while (n) {
		ssize_t k = write(b->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			b->failed = true;
			return err_set(e, "cannot write: %s", strerror(errno));
		}
		b->written += k;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static int compress(struct block_writer *b, const void *p, size_t n, ZSTD_EndDirective op,
		    struct err *e)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	if (b->failed)
		return err_set(e, "an earlier write failed");
	do {
		ZSTD_outBuffer out = { b->out, sizeof(b->out), 0 };

		left = ZSTD_compressStream2(b->z, &out, &in, op);
		if (ZSTD_isError(left)) {
			b->failed = true;
			return err_set(e, "zstd: %s", ZSTD_getErrorName(left));
		}
		if (write_all(b, b->out, out.pos, e) < 0)
			return -1;
		b->compressed += out.pos;
	} while (op == ZSTD_e_continue ? in.pos < in.size : left != 0);
	return 0;
}

static int end_frame(struct block_writer *b, struct err *e)
{
	if (b->raw == 0)
		return 0;
	if (compress(b, NULL, 0, ZSTD_e_end, e) < 0)
		return -1;
	if (b->n_frames == b->cap_frames) {
		size_t cap = b->cap_frames ? 2 * b->cap_frames : 64;
		struct frame *f = realloc(b->frames, cap * sizeof(*f));

		if (!f)
			return err_set(e, "out of memory");
		b->frames = f;
		b->cap_frames = cap;
	}
	b->frames[b->n_frames++] = (struct frame){ (uint32_t)b->compressed, (uint32_t)b->raw };
	b->compressed = b->raw = b->unflushed = 0;
	return 0;
}

int block_put(struct block_writer *b, const void *p, size_t n, struct err *e)
{
	if (b->raw && b->raw + n > BLOCK_FRAME_MAX && end_frame(b, e) < 0)
		return -1;
	if (compress(b, p, n, ZSTD_e_continue, e) < 0)
		return -1;
	b->raw += n;
	b->unflushed += n;
	return 0;
}

int block_flush(struct block_writer *b, struct err *e)
{
	if (b->unflushed == 0)
		return b->failed ? err_set(e, "an earlier write failed") : 0;
	b->unflushed = 0;
	return compress(b, NULL, 0, ZSTD_e_flush, e);
}

int64_t block_bytes(const struct block_writer *b)
{
	return b->written;
}

static unsigned char *put_le32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		*p++ = (unsigned char)(v >> (8 * i));
	return p;
}

int block_finish(struct block_writer *b, struct err *e)
{
	size_t n, body;
	unsigned char *table, *p;
	int rc;

	if (end_frame(b, e) < 0)
		return -1;
	body = 8 * b->n_frames + 9;
	n = 8 + body;
	table = p = malloc(n);
	if (!table)
		return err_set(e, "out of memory");
	p = put_le32(p, SEEK_SKIPPABLE_MAGIC);
	p = put_le32(p, (uint32_t)body);
	for (size_t i = 0; i < b->n_frames; i++) {
		p = put_le32(p, b->frames[i].compressed);
		p = put_le32(p, b->frames[i].raw);
	}
	p = put_le32(p, (uint32_t)b->n_frames);
	*p++ = 0; /* descriptor: no per-frame checksums here, the frames have their own */
	put_le32(p, SEEK_FOOTER_MAGIC);
	rc = write_all(b, table, n, e);
	free(table);
	return rc;
}
