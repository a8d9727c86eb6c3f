#include <config.h>

#include "formats/trace/mp.h"

/* What a first byte announces. */
struct head {
	enum mp_type type;
	unsigned len_bytes;  /* bytes of a length or a number after the first byte */
	uint32_t fixed;      /* a length or value in the first byte itself */
	unsigned extra;      /* bytes besides (ext's type byte) */
};

static uint64_t be(const char *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | (unsigned char)*p++;
	return v;
}

static struct head head_fix(unsigned char c)
{
	if (c < 0x80)
		return (struct head){ MP_INT, 0, c, 0 };
	if (c < 0x90)
		return (struct head){ MP_MAP, 0, c & 0x0f, 0 };
	if (c < 0xa0)
		return (struct head){ MP_ARRAY, 0, c & 0x0f, 0 };
	return (struct head){ MP_STR, 0, c & 0x1f, 0 };
}

static struct head head_of(unsigned char c)
{
	static const struct head table[0x20] = {
		[0x00] = { MP_NIL, 0, 0, 0 }, [0x01] = { MP_NONE, 0, 0, 0 },
		[0x02] = { MP_BOOL, 0, 0, 0 }, [0x03] = { MP_BOOL, 0, 1, 0 },
		[0x04] = { MP_BIN, 1, 0, 0 }, [0x05] = { MP_BIN, 2, 0, 0 }, [0x06] = { MP_BIN, 4, 0, 0 },
		[0x07] = { MP_EXT, 1, 0, 1 }, [0x08] = { MP_EXT, 2, 0, 1 }, [0x09] = { MP_EXT, 4, 0, 1 },
		[0x0a] = { MP_FLOAT, 4, 0, 0 }, [0x0b] = { MP_FLOAT, 8, 0, 0 },
		[0x0c] = { MP_UINT, 1, 0, 0 }, [0x0d] = { MP_UINT, 2, 0, 0 },
		[0x0e] = { MP_UINT, 4, 0, 0 }, [0x0f] = { MP_UINT, 8, 0, 0 },
		[0x10] = { MP_INT, 1, 0, 0 }, [0x11] = { MP_INT, 2, 0, 0 },
		[0x12] = { MP_INT, 4, 0, 0 }, [0x13] = { MP_INT, 8, 0, 0 },
		[0x14] = { MP_EXT, 0, 1, 1 }, [0x15] = { MP_EXT, 0, 2, 1 }, [0x16] = { MP_EXT, 0, 4, 1 },
		[0x17] = { MP_EXT, 0, 8, 1 }, [0x18] = { MP_EXT, 0, 16, 1 },
		[0x19] = { MP_STR, 1, 0, 0 }, [0x1a] = { MP_STR, 2, 0, 0 }, [0x1b] = { MP_STR, 4, 0, 0 },
		[0x1c] = { MP_ARRAY, 2, 0, 0 }, [0x1d] = { MP_ARRAY, 4, 0, 0 },
		[0x1e] = { MP_MAP, 2, 0, 0 }, [0x1f] = { MP_MAP, 4, 0, 0 },
	};

	if (c >= 0xe0)
		return (struct head){ MP_INT, 0, c, 0 };
	return c < 0xc0 ? head_fix(c) : table[c - 0xc0];
}

static bool has_bytes(enum mp_type t)
{
	return t == MP_STR || t == MP_BIN || t == MP_EXT;
}

enum mp_walk_result mp_walk(struct mp_walk *w, const char *p, size_t n, size_t max)
{
	while (w->pending) {
		struct head h;
		size_t size;
		uint64_t len;

		/* Each pending object takes at least a byte: a lie shows before it costs. */
		if (w->pos > max || w->pending > max - w->pos)
			return MP_BAD;
		if (w->pos >= n)
			return MP_MORE;
		h = head_of((unsigned char)p[w->pos]);
		if (h.type == MP_NONE)
			return MP_BAD;
		size = 1 + h.len_bytes + h.extra;
		if (size > n - w->pos)
			return MP_MORE;
		len = h.len_bytes ? be(p + w->pos + 1, h.len_bytes) : h.fixed;
		if (has_bytes(h.type)) {
			if (len > max)
				return MP_BAD;
			size += (size_t)len;
		}
		if (size > max - w->pos)
			return MP_BAD;
		if (size > n - w->pos)
			return MP_MORE;
		w->pos += size;
		w->pending--;
		if (h.type == MP_ARRAY || h.type == MP_MAP)
			w->pending += h.type == MP_MAP ? 2 * len : len;
	}
	return MP_WHOLE;
}

static double float_of(uint64_t bits, unsigned bytes)
{
	uint32_t small = (uint32_t)bits;
	double d;
	float f;

	if (bytes == 4) {
		memcpy(&f, &small, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static int64_t int_of(uint64_t bits, unsigned bytes)
{
	switch (bytes) {
	case 1: return (int8_t)bits;
	case 2: return (int16_t)bits;
	case 4: return (int32_t)bits;
	default: return (int64_t)bits;
	}
}

static void fill(struct mp_value *v, struct head h, uint64_t bits)
{
	switch (h.type) {
	case MP_BOOL:
		v->b = bits != 0;
		break;
	case MP_INT:
		/* A negative fixint is its own byte read as signed. */
		v->i = int_of(bits, h.len_bytes ? h.len_bytes : 1);
		break;
	case MP_UINT:
		v->u = bits;
		v->i = (int64_t)bits;
		if (bits <= INT64_MAX)
			v->type = MP_INT;
		break;
	case MP_FLOAT:
		v->f = float_of(bits, h.len_bytes);
		break;
	case MP_ARRAY:
	case MP_MAP:
		v->n = (uint32_t)bits;
		break;
	default:
		break;
	}
}

struct mp_value mp_next(struct mp *m)
{
	struct mp_value v = { .type = MP_NONE };
	struct head h;
	uint64_t bits;

	if (m->bad || m->p >= m->end)
		goto bad;
	h = head_of((unsigned char)*m->p);
	if (h.type == MP_NONE || (size_t)(m->end - m->p) < 1 + h.len_bytes + h.extra)
		goto bad;
	bits = h.len_bytes ? be(m->p + 1, h.len_bytes) : h.fixed;
	v.type = h.type;
	m->p += 1 + h.len_bytes + h.extra;
	fill(&v, h, bits);
	if (has_bytes(h.type)) {
		if (bits > (size_t)(m->end - m->p))
			goto bad;
		v.s = (struct str){ m->p, (size_t)bits };
		m->p += bits;
	}
	return v;
bad:
	m->bad = true;
	return (struct mp_value){ .type = MP_NONE };
}

void mp_skip(struct mp *m)
{
	struct mp_walk w = { 0, 1 };
	size_t n = (size_t)(m->end - m->p);

	if (m->bad || mp_walk(&w, m->p, n, n) != MP_WHOLE) {
		m->bad = true;
		return;
	}
	m->p += w.pos;
}
