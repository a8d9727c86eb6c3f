/*
 * The trace: round trips, flushes, frames and cuts (cases D19, D20), lengths that lie (D21).
 */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/rng.h"
#include "formats/trace/exchanges.h"
#include "formats/trace/unblock.h"
#include "formats/trace/writer.h"

static char dir[] = "/tmp/toktrace-unit-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/t.tok", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void put(struct trace_writer *w, const struct record *r)
{
	struct err e = { "" };

	if (trace_write(w, r, &e) < 0)
		fail_msg("%s", e.msg);
}

static void put_header(struct trace_writer *w)
{
	struct kv run[] = { { str_of("seed"), str_of("7") } };
	struct record r;

	record_init(&r, REC_HEADER);
	r.u.header.epoch_wall_ns = 1900000000000000000;
	r.u.header.tool = str_of("unit");
	r.u.header.run = (struct kvs){ run, 1 };
	put(w, &r);
}

static void put_exchange(struct trace_writer *w, int64_t id, int n_events, unsigned seed)
{
	uint64_t blocks[] = { 0, 4294967296u, 8589934592u, UINT64_MAX };
	char body[600];
	struct record r;
	struct rng g;

	rng_init(&g, seed, "body", (uint64_t)id);
	for (size_t i = 0; i < sizeof(body); i++)
		body[i] = (char)rng_below(&g, 256);
	record_init(&r, REC_REQUEST);
	r.u.request.id = id;
	r.u.request.sent_ns = id * 1000;
	r.u.request.body = (struct str){ body, (size_t)rng_below(&g, sizeof(body)) };
	r.u.request.blocks = blocks;
	r.u.request.n_blocks = 4;
	put(w, &r);
	record_init(&r, REC_RESPONSE);
	r.u.response.id = id;
	events_init(&r.u.response.events, true, 1 << 20);
	for (int i = 0; i < n_events; i++) {
		struct event e = { .t_ns = id * 1000 + i * 7, .cls = EV_CONTENT, .choice = i % 3,
			.cum_tokens = i % 2 ? i : COUNT_NONE, .flags = (unsigned)i % 8,
			.text = { body + i % 500, (size_t)i % 11 }, .text_len = (size_t)i % 11 };

		assert_int_equal(events_add(&r.u.response.events, &e), 0);
	}
	r.u.response.last = true;
	r.u.response.status = ST_OK;
	r.u.response.end_ns = id * 1000 + 5000;
	put(w, &r);
	events_release(&r.u.response.events);
}

static struct trace_writer *open_writer(void)
{
	struct trace_writer *w;
	struct err e = { "" };

	if (trace_writer_open(path, &w, &e) < 0)
		fail_msg("%s", e.msg);
	return w;
}

static void close_writer(struct trace_writer *w)
{
	struct err e = { "" };

	if (trace_writer_close(w, &e) < 0)
		fail_msg("%s", e.msg);
}

static void what_is_written_is_read(void **state)
{
	struct trace_writer *w = open_writer();
	struct trace_data d;
	struct err e = { "" };
	struct stat st;

	(void)state;
	put_header(w);
	for (int i = 0; i < 300; i++)
		put_exchange(w, i, 40, 5);
	close_writer(w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(trace_data_load(path, true, &d, &e), 0);
	assert_int_equal(d.n_segments, 1);
	assert_int_equal(d.n, 300);
	assert_true(str_is(kvs_get(d.segments[0].header.run, "seed"), "7"));
	for (int i = 0; i < 300; i++) {
		struct exchange *x = &d.x[i];
		struct events_iter it = { 0 };
		struct event ev;
		int k = 0;

		assert_int_equal(x->req.id, i);
		assert_true(x->req.blocks[1] == 4294967296u && x->req.blocks[3] == UINT64_MAX);
		assert_true(x->req.scheduled_ns == NS_NONE);
		assert_int_equal(x->res.events.n, 40);
		while (events_next(&x->res.events, &it, &ev)) {
			assert_int_equal(ev.t_ns, i * 1000 + k * 7);
			assert_int_equal(ev.choice, k % 3);
			assert_int_equal(ev.cum_tokens, k % 2 ? k : COUNT_NONE);
			assert_int_equal(ev.flags, k % 8);
			assert_int_equal(ev.text_len, k % 11);
			assert_int_equal(ev.text.n, k % 11);
			k++;
		}
	}
	trace_data_release(&d);
}

static int64_t records_in(const char *file, bool *cut, struct err *e)
{
	struct trace_reader *r;
	struct record rec;
	int64_t n = 0;
	int rc;

	assert_int_equal(trace_reader_open(file, &r, e), 0);
	while ((rc = trace_next(r, &rec, e)) > 0)
		n++;
	*cut = rc < 0 && trace_reader_cut(r);
	if (rc < 0)
		assert_true(strlen(e->msg) > 0);
	trace_reader_close(r);
	return n;
}

static void a_flush_is_visible_to_readers(void **state)
{
	struct trace_writer *w = open_writer();
	struct err e = { "" };
	bool cut;

	(void)state;
	put_header(w);
	put_exchange(w, 0, 10, 1);
	assert_int_equal(trace_writer_flush(w, &e), 0);
	assert_int_equal(records_in(path, &cut, &e), 3);
	assert_true(cut);
	close_writer(w);
	assert_int_equal(records_in(path, &cut, &e), 4); /* and the end record */
	assert_false(cut);
}

/* Case D19 B: at every length of the file, whole records before the cut are read. */
static void a_cut_is_seen_at_every_byte(void **state)
{
	struct trace_writer *w = open_writer();
	struct err e = { "" };
	int64_t flushed_at[5], last = 0, whole = 0;
	struct stat st;
	bool cut;

	(void)state;
	put_header(w);
	for (int i = 0; i < 4; i++) {
		put_exchange(w, i, 8, 3);
		assert_int_equal(trace_writer_flush(w, &e), 0);
		assert_int_equal(stat(path, &st), 0);
		flushed_at[i] = st.st_size;
	}
	close_writer(w);
	assert_int_equal(stat(path, &st), 0);
	for (int64_t size = st.st_size - 1; size > 0; size--) {
		int64_t n, want = 0;

		assert_int_equal(truncate(path, size), 0);
		n = records_in(path, &cut, &e);
		assert_true(last == 0 || n <= last);
		last = n;
		for (int i = 0; i < 4; i++)
			if (size >= flushed_at[i])
				want = 1 + 2 * (i + 1);
		assert_true(n >= want);
		if (n == 10)
			whole++; /* only the seek table is cut off: all is there, and it may be no cut */
		else
			assert_true(cut);
	}
	assert_true(whole > 0);
}

static void decompresses_to(const void *bytes, size_t n, size_t step, const char *want,
			    enum unblock_result end)
{
	struct unblock *u;
	struct buf out;
	struct err e = { "" };
	enum unblock_result rc;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	u = unblock_create(fd, step);
	buf_init(&out, 1 << 20);
	while ((rc = unblock_more(u, &out, &e)) == UNBLOCK_MORE)
		;
	assert_int_equal(rc, end);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
	unblock_free(u);
	close(fd);
}

static const unsigned char frame1[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x0c, 0x61, 0x00, 0x00, 0x68,
	0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x74, 0x72, 0x61, 0x63, 0x65, 0x0a, 0x92, 0xe7, 0xef, 0x50 };
static const unsigned char skippable[] = { 0x50, 0x2a, 0x4d, 0x18, 0x04, 0x00, 0x00, 0x00, 0x6d,
	0x65, 0x74, 0x61 };
static const unsigned char frame2[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x0d, 0x69, 0x00, 0x00, 0x73,
	0x65, 0x63, 0x6f, 0x6e, 0x64, 0x20, 0x66, 0x72, 0x61, 0x6d, 0x65, 0x0a, 0x9e, 0x39, 0x73, 0xab };

static void frames_and_skippable_frames(void **state)
{
	unsigned char all[128];
	size_t n = 0;

	(void)state;
	memcpy(all, frame1, sizeof(frame1));
	n += sizeof(frame1);
	memcpy(all + n, skippable, sizeof(skippable));
	n += sizeof(skippable);
	memcpy(all + n, frame2, sizeof(frame2));
	n += sizeof(frame2);
	for (size_t step = 0; step < 3; step++)
		decompresses_to(all, n, step, "hello trace\nsecond frame\n", UNBLOCK_END);
	memcpy(all, skippable, sizeof(skippable));
	memcpy(all + sizeof(skippable), frame1, sizeof(frame1));
	decompresses_to(all, sizeof(skippable) + sizeof(frame1), 1, "hello trace\n", UNBLOCK_END);
	decompresses_to(frame1, 24, 0, "hello trace\n", UNBLOCK_CUT);
}

/* Case D19 A. */
static void what_came_before_a_cut_is_kept(void **state)
{
	int fd;
	struct unblock *u;
	struct buf out;
	struct err e;

	(void)state;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, frame1, 15), 15);
	lseek(fd, 0, SEEK_SET);
	u = unblock_create(fd, 0);
	buf_init(&out, 1 << 20);
	while (unblock_more(u, &out, &e) == UNBLOCK_MORE)
		;
	assert_int_equal(unblock_more(u, &out, &e), UNBLOCK_CUT);
	assert_string_equal(buf_cstr(&out), "hello ");
	buf_release(&out);
	unblock_free(u);
	close(fd);
}

/* Damage is not a cut: one flipped bit in the middle fails the checksum or the decoder. */
static void a_flipped_bit_is_damage(void **state)
{
	unsigned char bad[sizeof(frame1)];
	struct err e = { "" };
	bool cut;
	FILE *f;

	(void)state;
	memcpy(bad, frame1, sizeof(bad));
	bad[12] ^= 1;
	f = fopen(path, "wb");
	fwrite(bad, 1, sizeof(bad), f);
	fclose(f);
	records_in(path, &cut, &e);
	assert_false(cut);
}

/* Case D20 B: two segments, each with its own requests. */
static void two_traces_in_one_file(void **state)
{
	struct trace_data d;
	struct err e = { "" };
	char first[100000];
	struct trace_writer *w = open_writer();
	size_t n;
	FILE *f;

	(void)state;
	put_header(w);
	for (int i = 0; i < 3; i++)
		put_exchange(w, i, 4, 1);
	close_writer(w);
	f = fopen(path, "rb");
	n = fread(first, 1, sizeof(first), f);
	fclose(f);
	w = open_writer();
	put_header(w);
	for (int i = 0; i < 2; i++)
		put_exchange(w, i, 4, 2);
	close_writer(w);
	f = fopen(path, "ab");
	fwrite(first, 1, n, f);
	fclose(f);
	assert_int_equal(trace_data_load(path, true, &d, &e), 0);
	assert_int_equal(d.n_segments, 2);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.x[4].segment, 1);
	assert_int_equal(d.x[4].res.events.n, 4);
	trace_data_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_flush_is_visible_to_readers),
		cmocka_unit_test(a_cut_is_seen_at_every_byte),
		cmocka_unit_test(frames_and_skippable_frames),
		cmocka_unit_test(what_came_before_a_cut_is_kept),
		cmocka_unit_test(a_flipped_bit_is_damage),
		cmocka_unit_test(two_traces_in_one_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
