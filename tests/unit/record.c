/*
 * Every kind of record, every key, present and absent, through the codec; and the seek
 * table, read back by the rules of zstd's seekable format.
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/rng.h"
#include "formats/trace/decode.h"
#include "formats/trace/encode.h"
#include "formats/trace/writer.h"

enum type { T_INT, T_NS, T_NUM, T_BOOL, T_STR, T_KVS, T_LIST };

struct member {
	enum rec_kind kind;
	enum type type;
	size_t at;
};

#define AT(m) offsetof(struct record, u.m)

static const struct member members[] = {
	{ REC_HEADER, T_INT, AT(header.version) }, { REC_HEADER, T_INT, AT(header.minor) },
	{ REC_HEADER, T_NS, AT(header.epoch_wall_ns) }, { REC_HEADER, T_NS, AT(header.epoch_mono_ns) },
	{ REC_HEADER, T_STR, AT(header.tool) }, { REC_HEADER, T_STR, AT(header.tool_version) },
	{ REC_HEADER, T_LIST, AT(header.argv) }, { REC_HEADER, T_KVS, AT(header.host) },
	{ REC_HEADER, T_KVS, AT(header.target) }, { REC_HEADER, T_KVS, AT(header.config) },
	{ REC_HEADER, T_KVS, AT(header.run) }, { REC_HEADER, T_STR, AT(header.source_digest) },
	{ REC_HEADER, T_STR, AT(header.plan_digest) }, { REC_HEADER, T_BOOL, AT(header.no_text) },
	{ REC_PHASE, T_INT, AT(phase.id) }, { REC_PHASE, T_INT, AT(phase.concurrency) },
	{ REC_PHASE, T_NUM, AT(phase.rate_hz) }, { REC_PHASE, T_INT, AT(phase.round) },
	{ REC_PHASE, T_STR, AT(phase.layer) }, { REC_PHASE, T_STR, AT(phase.timing) },
	{ REC_PHASE, T_NS, AT(phase.begin_ns) }, { REC_PHASE, T_NS, AT(phase.end_ns) },
	{ REC_PHASE, T_STR, AT(phase.verdict) },
	{ REC_REQUEST, T_INT, AT(request.id) }, { REC_REQUEST, T_INT, AT(request.phase) },
	{ REC_REQUEST, T_INT, AT(request.source_id) }, { REC_REQUEST, T_STR, AT(request.session) },
	{ REC_REQUEST, T_INT, AT(request.turn) }, { REC_REQUEST, T_INT, AT(request.parent) },
	{ REC_REQUEST, T_BOOL, AT(request.inferred) }, { REC_REQUEST, T_NS, AT(request.scheduled_ns) },
	{ REC_REQUEST, T_NS, AT(request.queued_ns) }, { REC_REQUEST, T_NS, AT(request.sent_ns) },
	{ REC_REQUEST, T_INT, AT(request.lane) }, { REC_REQUEST, T_STR, AT(request.method) },
	{ REC_REQUEST, T_STR, AT(request.endpoint) }, { REC_REQUEST, T_STR, AT(request.api) },
	{ REC_REQUEST, T_STR, AT(request.model) }, { REC_REQUEST, T_BOOL, AT(request.stream) },
	{ REC_REQUEST, T_INT, AT(request.choices) }, { REC_REQUEST, T_KVS, AT(request.headers) },
	{ REC_REQUEST, T_STR, AT(request.body) }, { REC_REQUEST, T_STR, AT(request.body_digest) },
	{ REC_REQUEST, T_INT, AT(request.body_len) }, { REC_REQUEST, T_INT, AT(request.input_tokens) },
	{ REC_REQUEST, T_INT, AT(request.output_tokens) }, { REC_REQUEST, T_INT, AT(request.max_tokens) },
	{ REC_REQUEST, T_INT, AT(request.block_tokens) }, { REC_REQUEST, T_BOOL, AT(request.redacted) },
	{ REC_REQUEST, T_INT, AT(request.prompt_bytes) },
	{ REC_RESPONSE, T_INT, AT(response.id) }, { REC_RESPONSE, T_INT, AT(response.part) },
	{ REC_RESPONSE, T_NS, AT(response.connect_ns) }, { REC_RESPONSE, T_NS, AT(response.headers_ns) },
	{ REC_RESPONSE, T_NS, AT(response.first_byte_ns) }, { REC_RESPONSE, T_NS, AT(response.end_ns) },
	{ REC_RESPONSE, T_INT, AT(response.http_status) }, { REC_RESPONSE, T_STR, AT(response.error_kind) },
	{ REC_RESPONSE, T_STR, AT(response.error_text) }, { REC_RESPONSE, T_STR, AT(response.finish_reason) },
	{ REC_RESPONSE, T_BOOL, AT(response.done_marker) },
	{ REC_RESPONSE, T_BOOL, AT(response.reused_connection) },
	{ REC_RESPONSE, T_BOOL, AT(response.retried) }, { REC_RESPONSE, T_STR, AT(response.http_version) },
	{ REC_RESPONSE, T_NS, AT(response.written_ns) },
	{ REC_RESPONSE, T_INT, AT(response.usage.prompt) }, { REC_RESPONSE, T_INT, AT(response.usage.completion) },
	{ REC_RESPONSE, T_INT, AT(response.usage.total) }, { REC_RESPONSE, T_INT, AT(response.usage.reasoning) },
	{ REC_RESPONSE, T_INT, AT(response.usage.cached) }, { REC_RESPONSE, T_STR, AT(response.model) },
	{ REC_RESPONSE, T_STR, AT(response.response_id) }, { REC_RESPONSE, T_STR, AT(response.content_type) },
	{ REC_RESPONSE, T_STR, AT(response.reasoning_key) }, { REC_RESPONSE, T_INT, AT(response.body_bytes) },
	{ REC_RESPONSE, T_STR, AT(response.raw) }, { REC_RESPONSE, T_BOOL, AT(response.redacted) },
	{ REC_SAMPLE, T_NS, AT(sample.t_ns) }, { REC_SAMPLE, T_STR, AT(sample.source) },
	{ REC_CLIENT, T_NS, AT(client.t_ns) }, { REC_CLIENT, T_NS, AT(client.loop_lag_max_ns) },
	{ REC_CLIENT, T_NS, AT(client.send_lag_max_ns) }, { REC_CLIENT, T_INT, AT(client.events) },
	{ REC_CLIENT, T_INT, AT(client.coalesced) }, { REC_CLIENT, T_NUM, AT(client.cpu_share) },
	{ REC_END, T_NS, AT(end.t_ns) }, { REC_END, T_INT, AT(end.requests) },
	{ REC_END, T_INT, AT(end.responses) }, { REC_END, T_INT, AT(end.events) },
	{ REC_END, T_INT, AT(end.dropped) }, { REC_END, T_BOOL, AT(end.interrupted) },
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]), POOL = 100000, PAIRS = 5 };

static char pool[POOL]; /* random bytes that strings are cut from; the second half is ASCII */

static struct str some_text(struct rng *g)
{
	/* Lengths on both sides of msgpack's 31, 255 and 65535. */
	static const size_t longest[] = { 1, 40, 300, 49000 };

	return (struct str){ pool + rng_below(g, 2) * (POOL / 2), rng_below(g, longest[rng_below(g, 4)]) };
}

/* Numbers of every width; never negative, since -1 is "unknown". */
static int64_t some_int(struct rng *g)
{
	return (int64_t)(rng_u64(g) >> (1 + rng_below(g, 63)));
}

static struct kvs some_kvs(struct rng *g, struct kv *v, bool keys)
{
	size_t n = 1 + rng_below(g, PAIRS);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct kv){ keys ? some_text(g) : (struct str){ NULL, 0 }, some_text(g) };
	return (struct kvs){ v, n };
}

static void fill(const struct member *m, struct record *r, struct rng *g, struct kv *v)
{
	void *at = (char *)r + m->at;

	switch (m->type) {
	case T_INT: *(int64_t *)at = some_int(g); break;
	case T_NS: *(int64_t *)at = rng_below(g, 2) ? some_int(g) : -some_int(g); break;
	case T_NUM: *(double *)at = rng_unit(g) * 1e6; break;
	case T_BOOL: *(bool *)at = true; break;
	case T_STR: *(struct str *)at = some_text(g); break;
	case T_KVS: *(struct kvs *)at = some_kvs(g, v, true); break;
	case T_LIST: *(struct kvs *)at = some_kvs(g, v, false); break;
	}
}

static bool same_kvs(const struct kvs *a, const struct kvs *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->v[i].key, b->v[i].key) || !str_eq(a->v[i].value, b->v[i].value))
			return false;
	return true;
}

static bool same(const struct member *m, const struct record *x, const struct record *y)
{
	const void *a = (const char *)x + m->at, *b = (const char *)y + m->at;
	double p, q;

	switch (m->type) {
	case T_INT:
	case T_NS: return memcmp(a, b, sizeof(int64_t)) == 0;
	case T_BOOL: return *(const bool *)a == *(const bool *)b;
	case T_STR: return str_eq(*(const struct str *)a, *(const struct str *)b);
	case T_NUM:
		p = *(const double *)a;
		q = *(const double *)b;
		return (isnan(p) && isnan(q)) || (p >= q && p <= q);
	default: return same_kvs(a, b);
	}
}

static void fill_lists(struct record *r, struct rng *g, uint64_t *blocks, struct sample_value *v)
{
	if (r->kind == REC_PHASE)
		r->u.phase.kind = (enum phase_kind)rng_below(g, PHASE_ACCEPTANCE + 1);
	if (r->kind == REC_REQUEST) {
		r->u.request.n_blocks = rng_below(g, 40);
		for (size_t i = 0; i < r->u.request.n_blocks; i++)
			blocks[i] = rng_u64(g) >> rng_below(g, 64);
		r->u.request.blocks = r->u.request.n_blocks ? blocks : NULL;
	}
	if (r->kind == REC_SAMPLE) {
		r->u.sample.n = rng_below(g, 20);
		for (size_t i = 0; i < r->u.sample.n; i++)
			v[i] = (struct sample_value){ some_text(g), rng_unit(g) };
		r->u.sample.v = v;
	}
	if (r->kind != REC_RESPONSE)
		return;
	r->u.response.last = true;
	r->u.response.status = (enum status)rng_below(g, ST_NONE + 1);
}

static void fill_events(struct events *ev, struct rng *g)
{
	bool cum = rng_below(g, 2), choice = rng_below(g, 2);
	int64_t t = -some_int(g) / 4;

	events_init(ev, rng_below(g, 2), 1 << 28);
	for (uint64_t n = rng_below(g, 100); n; n--) {
		struct event e = { .t_ns = t, .cls = (enum event_class)rng_below(g, EV_CLASSES),
			.flags = (unsigned)rng_below(g, 8), .cum_tokens = COUNT_NONE };

		if (cum && rng_below(g, 2))
			e.cum_tokens = some_int(g);
		if (choice)
			e.choice = (int32_t)(rng_u64(g) >> 33);
		e.text = some_text(g);
		e.text_len = e.text.n;
		t += some_int(g) >> 16;
		assert_int_equal(events_add(ev, &e), 0);
	}
}

static void same_events(const struct events *a, const struct events *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_true(a->t_ns[i] == b->t_ns[i]);
		assert_int_equal(a->cls[i], b->cls[i]);
		assert_int_equal(a->flags[i], b->flags[i]);
		assert_int_equal(a->choice[i], b->choice[i]);
		assert_true(a->cum_tokens[i] == b->cum_tokens[i]);
		assert_int_equal(a->text_len[i], b->text_len[i]);
	}
	if (a->n && a->has_text)
		assert_true(b->has_text && a->text.n == b->text.n &&
			    (a->text.n == 0 || memcmp(a->text.p, b->text.p, a->text.n) == 0));
}

static void same_lists(const struct record *a, const struct record *b)
{
	switch (a->kind) {
	case REC_PHASE:
		assert_int_equal(a->u.phase.kind, b->u.phase.kind);
		break;
	case REC_REQUEST:
		assert_int_equal(a->u.request.n_blocks, b->u.request.n_blocks);
		for (size_t i = 0; i < a->u.request.n_blocks; i++)
			assert_true(a->u.request.blocks[i] == b->u.request.blocks[i]);
		break;
	case REC_SAMPLE:
		assert_int_equal(a->u.sample.n, b->u.sample.n);
		for (size_t i = 0; i < a->u.sample.n; i++)
			assert_true(str_eq(a->u.sample.v[i].name, b->u.sample.v[i].name) &&
				    memcmp(&a->u.sample.v[i].value, &b->u.sample.v[i].value, 8) == 0);
		break;
	case REC_RESPONSE:
		assert_true(b->u.response.last);
		assert_int_equal(a->u.response.status, b->u.response.status);
		same_events(&a->u.response.events, &b->u.response.events);
		break;
	default:
		break;
	}
}

/* One random record there and back; present: chance in 4 that a member is there. */
static void round_trip(enum rec_kind kind, unsigned present, struct rng *g, struct decode_store *s)
{
	struct kv lists[5][PAIRS];
	struct sample_value values[20];
	uint64_t blocks[40];
	struct record a, b;
	struct buf out;
	struct err e = { "" };
	size_t list = 0;

	record_init(&a, kind);
	for (size_t i = 0; i < N_MEMBERS; i++) {
		if (members[i].kind != kind || rng_below(g, 4) >= present)
			continue;
		fill(&members[i], &a, g, lists[list]);
		list += members[i].type >= T_KVS;
	}
	fill_lists(&a, g, blocks, values);
	if (kind == REC_RESPONSE)
		fill_events(&a.u.response.events, g);
	buf_init(&out, 1 << 28);
	assert_int_equal(record_encode(&a, &out), 0);
	if (record_decode(out.p, out.n, s, &b, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(b.kind, kind);
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (members[i].kind == kind && !same(&members[i], &a, &b))
			fail_msg("%s: member %zu differs", rec_kind_name(kind), i);
	same_lists(&a, &b);
	if (kind == REC_RESPONSE)
		events_release(&a.u.response.events);
	buf_release(&out);
}

static void every_kind_there_and_back(void **state)
{
	struct decode_store s;
	struct rng g;

	(void)state;
	rng_init(&g, 20261201, "records", 0);
	for (size_t i = 0; i < POOL; i++)
		pool[i] = (char)(i < POOL / 2 ? rng_below(&g, 256) : 'a' + rng_below(&g, 26));
	decode_store_init(&s, 1 << 28);
	for (int kind = 0; kind < REC_UNKNOWN; kind++)
		for (unsigned i = 0; i < 50; i++)
			round_trip((enum rec_kind)kind, i % 5, &g, &s);
	decode_store_release(&s);
}

static uint32_t le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void write_requests(const char *path, size_t n)
{
	struct trace_writer *w;
	struct record r;
	struct err e;

	assert_int_equal(trace_writer_open(path, &w, &e), 0);
	record_init(&r, REC_HEADER);
	assert_int_equal(trace_write(w, &r, &e), 0);
	for (size_t i = 0; i < n; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = (int64_t)i;
		r.u.request.body = (struct str){ pool, POOL };
		assert_int_equal(trace_write(w, &r, &e), 0);
	}
	assert_int_equal(trace_writer_close(w, &e), 0);
}

/* The last 9 bytes say how many frames; the sizes lead from frame to frame to the table. */
static void the_seek_table_leads_to_every_frame(void **state)
{
	char path[] = "/tmp/toktrace-unit-XXXXXX";
	unsigned char *p = malloc(1 << 22);
	size_t n, frames, table, at = 0;
	FILE *f;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && p);
	close(fd);
	write_requests(path, 35);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(p, 1, 1 << 22, f);
	fclose(f);
	unlink(path);
	assert_int_equal(le32(p + n - 4), 0x8F92EAB1u);
	assert_int_equal(p[n - 5], 0);
	frames = le32(p + n - 9);
	assert_int_equal(frames, 4); /* 10 bodies of 100,000 bytes fit into 1 MiB */
	table = n - 9 - 8 * frames - 8;
	assert_int_equal(le32(p + table), 0x184D2A5Eu);
	assert_int_equal(le32(p + table + 4), 8 * frames + 9);
	for (size_t i = 0; i < frames; i++) {
		const unsigned char *row = p + table + 8 + 8 * i;

		assert_int_equal(le32(p + at), 0xFD2FB528u);
		assert_true(le32(row + 4) <= 1 << 20);
		at += le32(row);
	}
	assert_int_equal(at, table);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_there_and_back),
		cmocka_unit_test(the_seek_table_leads_to_every_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
