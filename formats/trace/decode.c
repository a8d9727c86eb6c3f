/*
 * Each kind is a table of fields: key, type, place in the struct.  A newcomer adds a key
 * here and in encode.c; nothing else knows the names.
 */
#include <config.h>

#include "formats/trace/decode.h"

#include <math.h>

#include "formats/trace/decode_events.h"
#include "formats/trace/mp.h"

enum field_type { F_INT, F_NUM, F_BOOL, F_STR, F_KVS, F_LIST, F_PHASE_KIND, F_STATUS, F_BLOCKS, F_VALUES, F_EVENTS };

struct field {
	const char *key;
	enum field_type type;
	size_t offset; /* in struct record */
};

/* A pair of empty strings takes 2 bytes in the file and 32 here: no file may buy memory that cheaply. */
enum { LISTS_MAX = 16 << 20 };

#define AT(member) offsetof(struct record, u.member)

static const struct field header_fields[] = {
	{ "version", F_INT, AT(header.version) }, { "minor", F_INT, AT(header.minor) },
	{ "epoch_wall_ns", F_INT, AT(header.epoch_wall_ns) },
	{ "epoch_mono_ns", F_INT, AT(header.epoch_mono_ns) },
	{ "tool", F_STR, AT(header.tool) }, { "tool_version", F_STR, AT(header.tool_version) },
	{ "argv", F_LIST, AT(header.argv) }, { "host", F_KVS, AT(header.host) },
	{ "target", F_KVS, AT(header.target) }, { "config", F_KVS, AT(header.config) },
	{ "run", F_KVS, AT(header.run) },
	{ "source_digest", F_STR, AT(header.source_digest) },
	{ "plan_digest", F_STR, AT(header.plan_digest) }, { "no_text", F_BOOL, AT(header.no_text) },
	{ NULL, F_INT, 0 },
};

static const struct field phase_fields[] = {
	{ "id", F_INT, AT(phase.id) }, { "phase_kind", F_PHASE_KIND, AT(phase.kind) },
	{ "concurrency", F_INT, AT(phase.concurrency) }, { "rate_hz", F_NUM, AT(phase.rate_hz) },
	{ "round", F_INT, AT(phase.round) }, { "layer", F_STR, AT(phase.layer) },
	{ "timing", F_STR, AT(phase.timing) }, { "begin_ns", F_INT, AT(phase.begin_ns) },
	{ "end_ns", F_INT, AT(phase.end_ns) }, { "verdict", F_STR, AT(phase.verdict) },
	{ NULL, F_INT, 0 },
};

static const struct field request_fields[] = {
	{ "id", F_INT, AT(request.id) }, { "phase", F_INT, AT(request.phase) },
	{ "source_id", F_INT, AT(request.source_id) }, { "session", F_STR, AT(request.session) },
	{ "turn", F_INT, AT(request.turn) }, { "parent", F_INT, AT(request.parent) },
	{ "inferred", F_BOOL, AT(request.inferred) },
	{ "live", F_BOOL, AT(request.live) },
	{ "scheduled_ns", F_INT, AT(request.scheduled_ns) },
	{ "queued_ns", F_INT, AT(request.queued_ns) }, { "sent_ns", F_INT, AT(request.sent_ns) },
	{ "lane", F_INT, AT(request.lane) }, { "upstream", F_STR, AT(request.upstream) },
	{ "method", F_STR, AT(request.method) },
	{ "endpoint", F_STR, AT(request.endpoint) }, { "api", F_STR, AT(request.api) },
	{ "model", F_STR, AT(request.model) }, { "stream", F_BOOL, AT(request.stream) },
	{ "choices", F_INT, AT(request.choices) }, { "headers", F_KVS, AT(request.headers) },
	{ "body", F_STR, AT(request.body) }, { "body_digest", F_STR, AT(request.body_digest) },
	{ "body_len", F_INT, AT(request.body_len) },
	{ "redacted", F_BOOL, AT(request.redacted) },
	{ "prompt_bytes", F_INT, AT(request.prompt_bytes) },
	{ "input_tokens", F_INT, AT(request.input_tokens) },
	{ "output_tokens", F_INT, AT(request.output_tokens) },
	{ "max_tokens", F_INT, AT(request.max_tokens) },
	{ "block_tokens", F_INT, AT(request.block_tokens) },
	{ "blocks", F_BLOCKS, 0 },
	{ NULL, F_INT, 0 },
};

static const struct field response_fields[] = {
	{ "id", F_INT, AT(response.id) }, { "part", F_INT, AT(response.part) },
	{ "last", F_BOOL, AT(response.last) },
	{ "dt", F_EVENTS, 0 }, { "cls", F_EVENTS, 0 }, { "flags", F_EVENTS, 0 },
	{ "choice", F_EVENTS, 0 }, { "cum", F_EVENTS, 0 }, { "len", F_EVENTS, 0 },
	{ "text", F_EVENTS, 0 },
	{ "connect_ns", F_INT, AT(response.connect_ns) },
	{ "written_ns", F_INT, AT(response.written_ns) },
	{ "headers_ns", F_INT, AT(response.headers_ns) },
	{ "first_byte_ns", F_INT, AT(response.first_byte_ns) },
	{ "end_ns", F_INT, AT(response.end_ns) },
	{ "http_status", F_INT, AT(response.http_status) },
	{ "status", F_STATUS, AT(response.status) },
	{ "error_kind", F_STR, AT(response.error_kind) },
	{ "error_text", F_STR, AT(response.error_text) },
	{ "finish_reason", F_STR, AT(response.finish_reason) },
	{ "done_marker", F_BOOL, AT(response.done_marker) },
	{ "reused_connection", F_BOOL, AT(response.reused_connection) },
	{ "retried", F_BOOL, AT(response.retried) },
	{ "http_version", F_STR, AT(response.http_version) },
	{ "prompt_tokens", F_INT, AT(response.usage.prompt) },
	{ "completion_tokens", F_INT, AT(response.usage.completion) },
	{ "total_tokens", F_INT, AT(response.usage.total) },
	{ "reasoning_tokens", F_INT, AT(response.usage.reasoning) },
	{ "cached_tokens", F_INT, AT(response.usage.cached) },
	{ "model", F_STR, AT(response.model) }, { "response_id", F_STR, AT(response.response_id) },
	{ "content_type", F_STR, AT(response.content_type) },
	{ "reasoning_key", F_STR, AT(response.reasoning_key) },
	{ "body_bytes", F_INT, AT(response.body_bytes) }, { "raw", F_STR, AT(response.raw) },
	{ "redacted", F_BOOL, AT(response.redacted) },
	{ NULL, F_INT, 0 },
};

static const struct field sample_fields[] = {
	{ "t_ns", F_INT, AT(sample.t_ns) }, { "source", F_STR, AT(sample.source) },
	{ "values", F_VALUES, 0 },
	{ NULL, F_INT, 0 },
};

static const struct field client_fields[] = {
	{ "t_ns", F_INT, AT(client.t_ns) },
	{ "loop_lag_max_ns", F_INT, AT(client.loop_lag_max_ns) },
	{ "send_lag_max_ns", F_INT, AT(client.send_lag_max_ns) },
	{ "events", F_INT, AT(client.events) }, { "coalesced", F_INT, AT(client.coalesced) },
	{ "cpu_share", F_NUM, AT(client.cpu_share) },
	{ NULL, F_INT, 0 },
};

static const struct field end_fields[] = {
	{ "t_ns", F_INT, AT(end.t_ns) }, { "requests", F_INT, AT(end.requests) },
	{ "responses", F_INT, AT(end.responses) }, { "events", F_INT, AT(end.events) },
	{ "dropped", F_INT, AT(end.dropped) }, { "interrupted", F_BOOL, AT(end.interrupted) },
	{ NULL, F_INT, 0 },
};

static const struct field *const fields_of[REC_KINDS] = {
	[REC_HEADER] = header_fields, [REC_PHASE] = phase_fields, [REC_REQUEST] = request_fields,
	[REC_RESPONSE] = response_fields, [REC_SAMPLE] = sample_fields,
	[REC_CLIENT] = client_fields, [REC_END] = end_fields,
};

void decode_store_init(struct decode_store *s, size_t max)
{
	buf_init(&s->lists, max < LISTS_MAX ? max : LISTS_MAX);
	buf_init(&s->blocks, max < LISTS_MAX ? max : LISTS_MAX);
	events_init(&s->events, false, max);
}

void decode_store_release(struct decode_store *s)
{
	buf_release(&s->lists);
	buf_release(&s->blocks);
	events_release(&s->events);
}

static struct str read_str(struct mp *m)
{
	struct mp_value v = mp_next(m);

	if (v.type != MP_STR && v.type != MP_BIN)
		m->bad = true;
	return v.s;
}

static int64_t read_int(struct mp *m)
{
	struct mp_value v = mp_next(m);

	if (v.type != MP_INT)
		m->bad = true;
	return v.i;
}

static bool read_bool(struct mp *m)
{
	struct mp_value v = mp_next(m);

	if (v.type != MP_BOOL)
		m->bad = true;
	return v.b;
}

static double read_num(struct mp *m)
{
	struct mp_value v = mp_next(m);

	if (v.type == MP_INT)
		return (double)v.i;
	if (v.type != MP_FLOAT)
		m->bad = true;
	return v.type == MP_FLOAT && isfinite(v.f) ? v.f : NAN;
}

/*
 * Lists of one record share one buffer that may move while it grows, so a list is kept as
 * an offset first and turned into a pointer when the record is whole.
 */
static void read_kvs(struct mp *m, struct decode_store *s, bool map, struct kvs *out)
{
	struct mp_value v = mp_next(m);

	if (v.type != (map ? MP_MAP : MP_ARRAY)) {
		m->bad = true;
		return;
	}
	out->v = (const struct kv *)(uintptr_t)(s->lists.n + 1);
	out->n = 0;
	for (uint32_t i = 0; i < v.n && !m->bad; i++, out->n++) {
		struct kv kv = { { NULL, 0 }, { NULL, 0 } };

		if (map)
			kv.key = read_str(m);
		kv.value = read_str(m);
		if (buf_add(&s->lists, &kv, sizeof(kv)) < 0)
			m->bad = true;
	}
}

static void settle(struct kvs *k, const struct decode_store *s)
{
	/* An empty list may stand where nothing was ever stored. */
	if (k->n == 0)
		k->v = NULL;
	if (k->v)
		k->v = (const struct kv *)(const void *)(s->lists.p + ((uintptr_t)k->v - 1));
}

static void settle_lists(struct record *r, const struct decode_store *s)
{
	if (r->kind == REC_HEADER) {
		settle(&r->u.header.argv, s);
		settle(&r->u.header.host, s);
		settle(&r->u.header.target, s);
		settle(&r->u.header.config, s);
		settle(&r->u.header.run, s);
	}
	if (r->kind == REC_REQUEST)
		settle(&r->u.request.headers, s);
}

static void read_values(struct mp *m, struct decode_store *s, struct rec_sample *out)
{
	struct mp_value v = mp_next(m);

	if (v.type != MP_MAP)
		m->bad = true;
	buf_clear(&s->lists);
	for (uint32_t i = 0; i < v.n && !m->bad; i++) {
		struct sample_value x;

		x.name = read_str(m);
		x.value = read_num(m);
		if (buf_add(&s->lists, &x, sizeof(x)) < 0)
			m->bad = true;
	}
	out->v = (const struct sample_value *)(const void *)s->lists.p;
	out->n = s->lists.n / sizeof(*out->v);
}

static void read_blocks(struct mp *m, struct decode_store *s, struct rec_request *q)
{
	struct mp_value v = mp_next(m);

	if (v.type != MP_ARRAY)
		m->bad = true;
	buf_clear(&s->blocks);
	for (uint32_t i = 0; i < v.n && !m->bad; i++) {
		struct mp_value b = mp_next(m);
		uint64_t id = b.type == MP_INT ? (uint64_t)b.i : b.u;

		if ((b.type != MP_INT && b.type != MP_UINT) ||
		    buf_add(&s->blocks, &id, sizeof(id)) < 0)
			m->bad = true;
	}
	q->blocks = (const uint64_t *)(const void *)s->blocks.p;
	q->n_blocks = s->blocks.n / sizeof(*q->blocks);
}

/* A word of a newer minor version reads as the neutral one. */
static enum phase_kind phase_kind_of(struct str s)
{
	for (int k = PHASE_WARMUP; k <= PHASE_ACCEPTANCE; k++)
		if (str_is(s, phase_kind_name((enum phase_kind)k)))
			return (enum phase_kind)k;
	return PHASE_ROUND;
}

static enum status status_of(struct str s)
{
	for (int k = ST_OK; k < ST_NONE; k++)
		if (str_is(s, status_name((enum status)k)))
			return (enum status)k;
	return ST_NONE;
}

static void read_field(struct mp *m, const struct field *f, struct decode_store *s, struct record *r)
{
	void *at = (char *)r + f->offset;

	switch (f->type) {
	case F_INT: *(int64_t *)at = read_int(m); break;
	case F_NUM: *(double *)at = read_num(m); break;
	case F_BOOL: *(bool *)at = read_bool(m); break;
	case F_STR: *(struct str *)at = read_str(m); break;
	case F_KVS: read_kvs(m, s, true, at); break;
	case F_LIST: read_kvs(m, s, false, at); break;
	case F_PHASE_KIND: *(enum phase_kind *)at = phase_kind_of(read_str(m)); break;
	case F_STATUS: *(enum status *)at = status_of(read_str(m)); break;
	case F_BLOCKS: read_blocks(m, s, &r->u.request); break;
	case F_VALUES: read_values(m, s, &r->u.sample); break;
	case F_EVENTS: decode_events_field(m, f->key, &s->events, &s->sized); break;
	}
}

static const struct field *find(const struct field *f, struct str key)
{
	for (; f->key; f++)
		if (str_is(key, f->key))
			return f;
	return NULL;
}

static enum rec_kind kind_of(struct str s)
{
	for (int k = 0; k < REC_UNKNOWN; k++)
		if (str_is(s, rec_kind_name((enum rec_kind)k)))
			return (enum rec_kind)k;
	return REC_UNKNOWN;
}

/* "kind" stands first in what we write, but any order is legal. */
static int find_kind(const char *p, size_t n, enum rec_kind *kind)
{
	struct mp m = { p, p + n, false };
	struct mp_value v = mp_next(&m);

	if (v.type != MP_MAP)
		return -1;
	for (uint32_t i = 0; i < v.n && !m.bad; i++) {
		struct mp_value key = mp_next(&m);

		if (key.type == MP_STR && str_is(key.s, "kind")) {
			*kind = kind_of(read_str(&m));
			return m.bad ? -1 : 0;
		}
		/* A key that is a container is stepped over like any other. */
		for (uint64_t k = key.type == MP_ARRAY ? key.n : key.type == MP_MAP ? 2 * (uint64_t)key.n : 0; k && !m.bad; k--)
			mp_skip(&m);
		mp_skip(&m);
	}
	return -1;
}

int record_decode(const char *p, size_t n, struct decode_store *s, struct record *r, struct err *e)
{
	struct mp m = { p, p + n, false };
	enum rec_kind kind;
	struct mp_value v;

	if (find_kind(p, n, &kind) < 0)
		return err_set(e, "not a record (a msgpack map with a \"kind\" was expected)");
	record_init(r, kind);
	if (kind == REC_UNKNOWN)
		return 0;
	buf_clear(&s->lists);
	decode_events_begin(&s->events, &s->sized);
	v = mp_next(&m);
	for (uint32_t i = 0; i < v.n; i++) {
		struct str key = read_str(&m);
		const struct field *f = m.bad ? NULL : find(fields_of[kind], key);

		if (f)
			read_field(&m, f, s, r);
		else
			mp_skip(&m);
		if (m.bad)
			return err_set(e, "%s record: key \"%.*s\" has a value that does not fit it",
				       rec_kind_name(kind), (int)(key.n < 40 ? key.n : 40), key.p ? key.p : "");
	}
	settle_lists(r, s);
	if (kind == REC_RESPONSE) {
		if (decode_events_end(&s->events) < 0)
			return err_set(e, "response record: its event arrays differ in length");
		r->u.response.events = s->events;
	}
	return 0;
}
