#include <config.h>

#include "record/gunzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { OUT = 1 << 15, MAGIC_0 = 0x1f, MAGIC_1 = 0x8b, GZIP_ONLY = 16 };

struct gunzip {
	z_stream z;
	enum { UNDECIDED, HALF_MAGIC, PLAIN, GZIP, BROKEN } mode;
	unsigned char out[OUT];
};

struct gunzip *gunzip_create(void)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (g && inflateInit2(&g->z, GZIP_ONLY + MAX_WBITS) != Z_OK) {
		free(g);
		return NULL;
	}
	return g;
}

void gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	free(g);
}

static int inflate_some(struct gunzip *g, const unsigned char *p, size_t n,
			void (*fn)(void *, const char *, size_t), void *arg)
{
	g->z.next_in = (unsigned char *)(size_t)p; /* zlib's type lacks the const it keeps */
	g->z.avail_in = (unsigned)n;
	do {
		int rc;

		g->z.next_out = g->out;
		g->z.avail_out = OUT;
		rc = inflate(&g->z, Z_SYNC_FLUSH);
		if (OUT - g->z.avail_out)
			fn(arg, (const char *)g->out, OUT - g->z.avail_out);
		if (rc == Z_STREAM_END && g->z.avail_in)
			rc = inflateReset(&g->z); /* a further member */
		if (rc != Z_OK && rc != Z_BUF_ERROR && rc != Z_STREAM_END) {
			g->mode = BROKEN;
			return -1;
		}
	} while (g->z.avail_in || g->z.avail_out == 0);
	return 0;
}

/* The first two bytes decide; they may come one by one. */
static void decide(struct gunzip *g, unsigned char c)
{
	if (g->mode == UNDECIDED)
		g->mode = c == MAGIC_0 ? HALF_MAGIC : PLAIN;
	else if (g->mode == HALF_MAGIC)
		g->mode = c == MAGIC_1 ? GZIP : PLAIN;
}

int gunzip_feed(struct gunzip *g, const char *p, size_t n,
		void (*fn)(void *arg, const char *p, size_t n), void *arg)
{
	static const char magic[] = { MAGIC_0, (char)MAGIC_1 };
	bool was_half = g->mode == HALF_MAGIC;

	if (n == 0)
		return 0;
	if (g->mode < PLAIN)
		decide(g, (unsigned char)p[0]);
	if (g->mode == HALF_MAGIC && n > 1)
		decide(g, (unsigned char)p[1]);
	if (g->mode == HALF_MAGIC)
		return 0; /* one byte of magic: kept until the next shows what it is */
	if (g->mode == BROKEN)
		return -1;
	if (g->mode == PLAIN) {
		if (was_half)
			fn(arg, magic, 1);
		fn(arg, p, n);
		return 0;
	}
	if (was_half && inflate_some(g, (const unsigned char *)magic, 1, fn, arg) < 0)
		return -1;
	return inflate_some(g, (const unsigned char *)p, n, fn, arg);
}
