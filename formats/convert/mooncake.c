/*
 * Mooncake JSONL: {"timestamp": ms, "input_length": n, "output_length": n, "hash_ids": [..]}.
 * Ids are of blocks of 512 tokens and prefix-chained; the last block may be partial.
 * Of the dialects that others made of it, rows with lengths are read ("session_id", "model");
 * a key that would change what is sent ("delay", "messages", ...) is refused by name.
 */
#include <config.h>

#include <jansson.h>
#include <stdlib.h>

#include "formats/convert/import.h"
#include "formats/convert/lines.h"
#include "formats/convert/number.h"
#include "formats/wire/scan.h"

enum { BLOCK_TOKENS = 512, STRING_MAX = 1 << 16, SHOWN = 40 };

enum key {
	K_TIME,
	K_INPUT,
	K_OUTPUT,
	K_BLOCKS,
	K_SESSION,
	K_MODEL,
	K_REFUSED,
	K_DELAY = K_REFUSED,
	K_TEXT,
	K_MESSAGES,
	K_PAYLOAD,
	K_TOOLS,
	KEYS
};
static const char *const key_names[KEYS] = {
	"timestamp", "input_length", "output_length", "hash_ids", "session_id", "model",
	"delay",     "text_input",   "messages",      "payload",  "tools",
};

/* One line: the raw JSON of each key that is known; absent where it is missing or null. */
struct line {
	struct str text;
	struct str raw[KEYS];
};

bool mooncake_sniff(struct str head)
{
	struct lines l = lines_of(head);
	struct str line;

	while (lines_next(&l, &line)) {
		if (line_blank(line))
			continue;
		return memchr(line.p, '{', line.n) &&
		       memmem(line.p, line.n, "\"input_length\"", 14);
	}
	return false;
}

static size_t column(const struct line *l, enum key k)
{
	return (size_t)(l->raw[k].p - l->text.p) + 1;
}

/* jansson knows all that is wrong with a line, but has no integers of 64 bits without a sign. */
static int validate(struct str text, struct row_fault *f)
{
	const char *nul = memchr(text.p, '\0',
				 text.n); /* jansson takes it for the end of the text */
	json_error_t why;
	json_t *row =
		nul ? NULL
		    : json_loadb(text.p, text.n,
				 JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
	bool valid = row != NULL, object = json_is_object(row);

	json_decref(row);
	if (nul)
		return row_bad(f, DROP_SYNTAX, (size_t)(nul - text.p) + 1,
			       "no JSON: a NUL byte");
	if (!valid)
		return row_bad(f, DROP_SYNTAX, why.column > 0 ? (size_t)why.column : 1,
			       "no JSON: %s", why.text);
	return object ? 0 : row_bad(f, DROP_SYNTAX, 1, "a JSON object was expected");
}

static int take_apart(struct str text, struct line *l, struct row_fault *f)
{
	struct scan s = scan_of(text);
	struct str key;

	*l = (struct line){ .text = text };
	if (validate(text, f) < 0)
		return -1;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		bool null = scan_peek(&s) == SCAN_NULL;
		struct str raw = scan_raw(&s);

		for (int k = 0; k < KEYS && !null; k++)
			if (str_is(key, key_names[k]))
				l->raw[k] = raw;
	}
	for (int k = K_REFUSED; k < KEYS; k++)
		if (l->raw[k].p)
			return row_bad(f, DROP_UNSUPPORTED, column(l, (enum key)k),
				       "\"%s\" is not read: rows with lengths are",
				       key_names[k]);
	return 0;
}

static int length(const struct line *l, enum key k, int64_t *out, struct row_fault *f)
{
	struct str raw = l->raw[k];

	if (number_tokens(raw, out) == 0)
		return 0;
	return row_bad(f, DROP_VALUE, column(l, k),
		       "\"%s\" is %.*s: a whole number of tokens up to %lld was expected",
		       key_names[k], (int)(raw.n < SHOWN ? raw.n : SHOWN), raw.p,
		       (long long)TOKENS_MAX);
}

static int lengths(const struct line *l, struct row *r, struct row_fault *f)
{
	if (!l->raw[K_INPUT].p)
		return row_bad(f, DROP_MISSING, 0, "no \"input_length\"");
	if (length(l, K_INPUT, &r->input_tokens, f) < 0)
		return -1;
	return l->raw[K_OUTPUT].p ? length(l, K_OUTPUT, &r->output_tokens, f) : 0;
}

static int arrival(const struct line *l, struct row *r, struct row_fault *f)
{
	enum { MS_TO_NS = 6 };
	struct str raw = l->raw[K_TIME];

	if (!raw.p || number_scaled(raw, MS_TO_NS, &r->arrival_ns) == 0)
		return 0;
	return row_bad(f, DROP_VALUE, column(l, K_TIME),
		       "\"timestamp\" is %.*s: milliseconds were expected",
		       (int)(raw.n < SHOWN ? raw.n : SHOWN), raw.p);
}

/* No fault of the row: mooncake_rows() looks for it. */
static int no_memory(struct rows *out, struct row_fault *f)
{
	out->out_of_memory = true;
	return row_bad(f, DROP_VALUE, 0, "out of memory");
}

static int block_ids(const struct line *l, struct rows *out, struct row *r,
		     struct row_fault *f)
{
	struct str raw = l->raw[K_BLOCKS];
	struct scan s;
	uint64_t *ids;
	size_t n;

	if (!raw.p)
		return 0;
	s = scan_of(raw);
	if (scan_peek(&s) != SCAN_ARRAY)
		return row_bad(f, DROP_VALUE, column(l, K_BLOCKS),
			       "\"hash_ids\": a list was expected");
	/* An id and its comma take two bytes at least. */
	ids = arena_alloc(&out->store, (raw.n / 2 + 1) * sizeof(*ids));
	if (!ids)
		return no_memory(out, f);
	scan_array(&s);
	for (n = 0; scan_item(&s); n++) {
		struct str id = scan_raw(&s);

		if (number_u64(id, &ids[n]) < 0)
			return row_bad(f, DROP_VALUE, (size_t)(id.p - l->text.p) + 1,
				       "\"hash_ids\" has %.*s: whole numbers below 2^64 "
				       "were expected",
				       (int)(id.n < SHOWN ? id.n : SHOWN), id.p);
	}
	r->blocks = n ? ids : NULL;
	r->n_blocks = n;
	return 0;
}

/* A name: a string, or a number as it is written. */
static int word(const struct line *l, enum key k, struct rows *out, struct str *to,
		struct row_fault *f)
{
	struct str raw = l->raw[k];
	enum scan_type type;
	struct scan s;
	struct buf b;

	if (!raw.p)
		return 0;
	s = scan_of(raw);
	type = scan_peek(&s);
	if ((type != SCAN_STRING && type != SCAN_NUMBER) || raw.n > STRING_MAX)
		return row_bad(f, DROP_VALUE, column(l, k),
			       "\"%s\": a string of at most %d bytes was expected",
			       key_names[k], STRING_MAX);
	buf_init(&b, STRING_MAX);
	if (type == SCAN_STRING)
		scan_string(&s, &b);
	else
		buf_add(&b, raw.p, raw.n);
	*to = arena_str(&out->store, buf_str(&b));
	buf_release(&b);
	return to->p ? 0 : no_memory(out, f);
}

static int read_row(struct str text, struct rows *out, struct row *r, struct row_fault *f)
{
	struct line l;

	if (take_apart(text, &l, f) < 0 || lengths(&l, r, f) < 0 || arrival(&l, r, f) < 0)
		return -1;
	if (word(&l, K_SESSION, out, &r->session, f) < 0 ||
	    word(&l, K_MODEL, out, &r->model, f) < 0)
		return -1;
	return block_ids(&l, out, r, f);
}

static void note_blocks(struct rows *out, const struct row *r)
{
	size_t want = (size_t)(r->input_tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;

	if (r->n_blocks && r->n_blocks != want && out->odd_blocks++ == 0)
		out->first_odd_line = r->line;
}

int mooncake_rows(struct str text, const struct row_opts *o, struct rows *out,
		  struct err *e)
{
	struct lines l = lines_of(text);
	struct row_fault f;
	struct str line;

	out->time_unit = "ms";
	out->block_tokens = BLOCK_TOKENS;
	while (lines_next(&l, &line)) {
		struct row *r;

		if (line_blank(line))
			continue;
		out->read++;
		r = rows_add(out);
		if (!r)
			return err_set(e, "out of memory");
		r->line = l.number;
		if (read_row(line, out, r, &f) == 0)
			note_blocks(out, r);
		else if (out->out_of_memory)
			return err_set(e, "out of memory");
		else if (rows_drop(out, l.number, &f, o, e) < 0)
			return -1;
	}
	return 0;
}
