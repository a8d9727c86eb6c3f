#include <config.h>

#include "formats/trace/pack.h"

#include <math.h>

#include "formats/base/utf8.h"

/* The packer's callers need not look: what did not fit is noted. */
static int write_body(void *arg, const char *bytes, size_t n)
{
	struct pack *p = arg;

	if (msgpack_sbuffer_write(&p->body, bytes, n) == 0)
		return 0;
	p->failed = true;
	return -1;
}

void pack_init(struct pack *p)
{
	*p = (struct pack){ .pairs = 0 };
	msgpack_sbuffer_init(&p->body);
	msgpack_packer_init(&p->pk, p, write_body);
}

void pack_release(struct pack *p)
{
	msgpack_sbuffer_destroy(&p->body);
}

void pack_key(struct pack *p, const char *key)
{
	size_t n = strlen(key);

	msgpack_pack_str(&p->pk, n);
	msgpack_pack_str_body(&p->pk, key, n);
	p->pairs++;
}

void pack_int(struct pack *p, const char *key, int64_t v)
{
	if (v == COUNT_NONE)
		return;
	pack_key(p, key);
	msgpack_pack_int64(&p->pk, v);
}

void pack_ns(struct pack *p, const char *key, int64_t t_ns)
{
	if (t_ns == NS_NONE)
		return;
	pack_key(p, key);
	msgpack_pack_int64(&p->pk, t_ns);
}

void pack_num(struct pack *p, const char *key, double v)
{
	if (!isfinite(v))
		return;
	pack_key(p, key);
	msgpack_pack_double(&p->pk, v);
}

void pack_bool(struct pack *p, const char *key, bool v)
{
	if (!v)
		return;
	pack_key(p, key);
	msgpack_pack_true(&p->pk);
}

void pack_text(msgpack_packer *pk, struct str s)
{
	if (utf8_valid(s)) {
		msgpack_pack_str(pk, s.n);
		msgpack_pack_str_body(pk, s.p, s.n);
	} else {
		msgpack_pack_bin(pk, s.n);
		msgpack_pack_bin_body(pk, s.p, s.n);
	}
}

void pack_str(struct pack *p, const char *key, struct str s)
{
	if (!s.p)
		return;
	pack_key(p, key);
	pack_text(&p->pk, s);
}

void pack_word(struct pack *p, const char *key, const char *s)
{
	pack_str(p, key, str_of(s));
}

void pack_kvs(struct pack *p, const char *key, struct kvs k)
{
	if (k.n == 0)
		return;
	pack_key(p, key);
	msgpack_pack_map(&p->pk, k.n);
	for (size_t i = 0; i < k.n; i++) {
		pack_text(&p->pk, k.v[i].key);
		pack_text(&p->pk, k.v[i].value);
	}
}
