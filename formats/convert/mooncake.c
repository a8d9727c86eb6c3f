/*
 * Mooncake JSONL: {"timestamp": ms, "input_length", "output_length", "hash_ids": [ids of
 * 512-token blocks]}; ids are prefix-chained, the last block may be partial.
 */
#include <config.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "formats/convert/import.h"
#include "formats/convert/lines.h"
#include "formats/wire/scan.h"

enum { BLOCK_TOKENS = 512 };

bool mooncake_sniff(struct str head)
{
	struct lines l = lines_of(head);
	struct str line;

	while (lines_next(&l, &line)) {
		if (line_blank(line))
			continue;
		return line.p[0] == '{' && memmem(line.p, line.n, "\"input_length\"", 14);
	}
	return false;
}

/* jansson has no unsigned integers: ids are read from the text, exact to 64 bits. */
static int block_ids(struct str line, struct rows *out, struct row *r, struct err *e)
{
	struct scan s = scan_of(line);
	struct str key;
	size_t n = 0;
	uint64_t *ids;

	scan_object(&s);
	while (scan_key(&s, &key)) {
		struct str raw = scan_raw(&s);
		struct scan a = scan_of(raw);

		if (!str_is(key, "hash_ids") || scan_peek(&a) != SCAN_ARRAY)
			continue;
		ids = arena_alloc(&out->store, (raw.n / 2 + 1) * sizeof(*ids));
		if (!ids)
			return err_set(e, "out of memory");
		scan_array(&a);
		for (n = 0; scan_item(&a); n++) {
			struct str id = scan_raw(&a);
			char word[24], *end;

			if (id.n == 0 || id.n >= sizeof(word) || id.p[0] == '-')
				return err_set(e, "hash_ids[%zu]: a whole number below 2^64 was expected", n);
			memcpy(word, id.p, id.n);
			word[id.n] = '\0';
			errno = 0;
			ids[n] = strtoull(word, &end, 10);
			if (*end || errno == ERANGE)
				return err_set(e, "hash_ids[%zu]: a whole number below 2^64 was expected", n);
		}
		r->blocks = ids;
		r->n_blocks = n;
	}
	return 0;
}

static int length(const json_t *row, const char *key, int64_t *out, struct err *e)
{
	const json_t *v = json_object_get(row, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return err_set(e, "\"%s\": a whole number of tokens was expected", key);
	*out = json_integer_value(v);
	return 0;
}

/* Milliseconds, whole or not, to ns; absent: 0 (an untimed workload). */
static int arrival(const json_t *row, int64_t *out, struct err *e)
{
	const json_t *v = json_object_get(row, "timestamp");
	double ms;

	*out = 0;
	if (!v)
		return 0;
	if (json_is_integer(v) && llabs(json_integer_value(v)) < INT64_MAX / NS_PER_MS) {
		*out = json_integer_value(v) * NS_PER_MS;
		return 0;
	}
	ms = json_is_real(v) ? json_real_value(v) : NAN;
	if (!(fabs(ms) < 9e12))
		return err_set(e, "\"timestamp\": milliseconds were expected");
	*out = llround(ms * (double)NS_PER_MS);
	return 0;
}

static void check_blocks(struct rows *out, const struct row *r)
{
	int64_t want = (r->input_tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;

	if (r->n_blocks == 0 || (int64_t)r->n_blocks == want)
		return;
	if (out->odd_blocks++ == 0)
		out->first_odd_line = r->line;
}

static int read_row(const json_t *row, struct str line, struct rows *out, struct row *r, struct err *e)
{
	const json_t *session = json_object_get(row, "session_id");

	if (!json_is_object(row))
		return err_set(e, "a JSON object was expected");
	if (!json_object_get(row, "input_length"))
		return err_set(e, "no \"input_length\": rows that carry text (text_input, messages) are not read yet");
	if (length(row, "input_length", &r->input_tokens, e) < 0 || arrival(row, &r->arrival_ns, e) < 0)
		return -1;
	r->output_tokens = COUNT_NONE;
	if (json_object_get(row, "output_length") && length(row, "output_length", &r->output_tokens, e) < 0)
		return -1;
	if (json_is_string(session))
		r->session = arena_str(&out->store, str_of(json_string_value(session)));
	return block_ids(line, out, r, e);
}

static int add_line(struct str line, size_t number, const struct import_opts *o, struct rows *out, struct err *e)
{
	json_error_t why;
	json_t *row = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, &why);
	struct row *r;
	struct err what;
	int rc;

	out->read++;
	if (!row) {
		rc = err_set(&what, "column %d: %s", why.column, why.text);
	} else if (!(r = rows_add(out))) {
		rc = err_set(&what, "out of memory");
	} else {
		r->line = number;
		rc = read_row(row, line, out, r, &what);
		if (rc < 0)
			out->n--;
		else
			check_blocks(out, r);
	}
	json_decref(row);
	if (rc == 0)
		return 0;
	out->bad++;
	if (o->skip_bad)
		return 0;
	return err_set(e, "%s: line %zu: %s (--skip-bad leaves bad rows out)", o->name, number, what.msg);
}

int mooncake_rows(struct str text, const struct import_opts *o, struct rows *out, struct err *e)
{
	struct lines l = lines_of(text);
	struct str line;

	out->time_unit = "ms";
	while (lines_next(&l, &line))
		if (!line_blank(line) && add_line(line, l.number, o, out, e) < 0)
			return -1;
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].n_blocks)
			out->block_tokens = BLOCK_TOKENS;
	return 0;
}
