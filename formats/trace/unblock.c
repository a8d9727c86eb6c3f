#include <config.h>

#include "formats/trace/unblock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
	IN_SIZE = 1 << 17, OUT_STEP = 1 << 17,
	WINDOW_LOG_MAX = 25, /* 32 MiB: what a reader may have to hold for "zstd -19" files */
};

struct unblock {
	ZSTD_DCtx *z;
	int fd;
	size_t step;
	ZSTD_inBuffer in;
	int64_t consumed;
	bool open_frame; /* input ended here would be a cut */
	bool started;    /* the first bytes were looked at */
	bool pending;    /* the decoder filled its output: it may hold more without input */
	unsigned char buf[IN_SIZE];
};

struct unblock *unblock_create(int fd, size_t step)
{
	struct unblock *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->fd = fd;
	u->step = step && step < IN_SIZE ? step : IN_SIZE;
	u->in.src = u->buf;
	u->z = ZSTD_createDCtx();
	if (!u->z) {
		free(u);
		return NULL;
	}
	ZSTD_DCtx_setParameter(u->z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return u;
}

void unblock_free(struct unblock *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->z);
	free(u);
}

int64_t unblock_offset(const struct unblock *u)
{
	return u->consumed;
}

static ssize_t refill(struct unblock *u, struct err *e)
{
	ssize_t k;

	do
		k = read(u->fd, u->buf, u->step);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return err_set(e, "cannot read: %s", strerror(errno));
	u->in.size = (size_t)k;
	u->in.pos = 0;
	return k;
}

/* A first byte that no zstd or skippable frame has is worth a plainer word than zstd's. */
static bool looks_foreign(const struct unblock *u)
{
	return u->buf[0] != 0x28 && (u->buf[0] & 0xf0) != 0x50;
}

enum unblock_result unblock_more(struct unblock *u, struct buf *out, struct err *e)
{
	for (;;) {
		ZSTD_outBuffer o;
		size_t before, left;

		if (u->in.pos == u->in.size && !u->pending) {
			ssize_t k = refill(u, e);

			if (k < 0)
				return UNBLOCK_DAMAGED;
			if (k == 0)
				return u->open_frame ? UNBLOCK_CUT : UNBLOCK_END;
		}
		if (!u->started && looks_foreign(u)) {
			err_set(e, "not a toktrace trace (no zstd frame); foreign formats are read "
				   "by 'tokconvert import'");
			return UNBLOCK_DAMAGED;
		}
		u->started = true;
		if (buf_reserve(out, OUT_STEP) < 0) {
			err_set(e, "out of memory, or a record past the ceiling");
			return UNBLOCK_DAMAGED;
		}
		o = (ZSTD_outBuffer){ out->p + out->n, OUT_STEP, 0 };
		before = u->in.pos;
		left = ZSTD_decompressStream(u->z, &o, &u->in);
		if (ZSTD_isError(left)) {
			err_set(e, "damaged: zstd: %s", ZSTD_getErrorName(left));
			return UNBLOCK_DAMAGED;
		}
		u->consumed += (int64_t)(u->in.pos - before);
		u->open_frame = left != 0;
		u->pending = o.pos == o.size;
		out->n += o.pos;
		if (o.pos)
			return UNBLOCK_MORE;
	}
}
