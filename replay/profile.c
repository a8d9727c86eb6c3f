#include <config.h>

#include "replay/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/buf.h"
#include "formats/base/opt.h"
#include "formats/base/unit.h"

enum key_type { KEY_VERSION, KEY_TEXT, KEY_COUNT, KEY_NUMBER };

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
	double min, max;
};

enum { WORD_MAX = PROFILE_NAME_MAX };

/* A count past 2^53 would no longer be exact; a cost past 1e9 of its unit is a mistake. */
static const double count_max = 9007199254740992.0, cost_max = 1e9;

static const struct key keys[] = {
	{ "toktrace_profile", KEY_VERSION, 0, 1, PROFILE_VERSION },
	{ "model", KEY_TEXT, offsetof(struct profile, model), 0, 0 },
	{ "max_model_len", KEY_COUNT, offsetof(struct profile, max_model_len), 2, count_max },
	{ "max_num_seqs", KEY_COUNT, offsetof(struct profile, max_num_seqs), 1, 1 << 20 },
	{ "max_batched_tokens", KEY_COUNT, offsetof(struct profile, max_batched_tokens), 1, count_max },
	{ "kv_tokens", KEY_COUNT, offsetof(struct profile, kv_tokens), 1, count_max },
	{ "block_tokens", KEY_COUNT, offsetof(struct profile, block_tokens), 1, 1 << 20 },
	{ "prefix_cache", KEY_COUNT, offsetof(struct profile, prefix_cache), 0, 1 },
	{ "step_base_us", KEY_NUMBER, offsetof(struct profile, step_base_us), 0, cost_max },
	{ "step_sequence_us", KEY_NUMBER, offsetof(struct profile, step_sequence_us), 0, cost_max },
	{ "step_context_ns", KEY_NUMBER, offsetof(struct profile, step_context_ns), 0, cost_max },
	{ "prefill_token_us", KEY_NUMBER, offsetof(struct profile, prefill_token_us), 0, cost_max },
	{ "prefill_pair_ns", KEY_NUMBER, offsetof(struct profile, prefill_pair_ns), 0, cost_max },
	{ "request_us", KEY_NUMBER, offsetof(struct profile, request_us), 0, cost_max },
	{ "request_token_us", KEY_NUMBER, offsetof(struct profile, request_token_us), 0, cost_max },
	{ "jitter", KEY_NUMBER, offsetof(struct profile, jitter), 0, 0.99 },
	{ "output_tokens", KEY_COUNT, offsetof(struct profile, output_tokens), 1, count_max },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

void profile_init(struct profile *p)
{
	*p = (struct profile){
		.model = "simulated",
		.max_model_len = 32768,
		.max_num_seqs = 128,
		.max_batched_tokens = 8192,
		.kv_tokens = 262144,
		.block_tokens = 16,
		.step_base_us = 10000,
		.step_sequence_us = 50,
		.step_context_ns = 10,
		.prefill_token_us = 50,
		.output_tokens = 256,
	};
}

static int unknown_key(const char *word, struct err *e)
{
	const char *names[KEYS + 1] = { NULL }, *near;

	for (size_t i = 0; i < KEYS; i++)
		names[i] = keys[i].name;
	near = opt_nearest(word, names);
	if (near)
		return err_set(e, "unknown key '%s'; did you mean '%s'?", word, near);
	return err_set(e, "unknown key '%s'; tokserve(1) lists the keys", word);
}

static int set_number(const struct key *k, const char *value, struct profile *p, struct err *e)
{
	double v;

	if (unit_parse_double(value, &v) < 0)
		return err_set(e, "%s: '%s' is not a number; give a plain one like '128' or '6.5'",
			       k->name, value);
	if (v < k->min || v > k->max)
		return err_set(e, "%s: %s is out of range; give %.17g to %.17g", k->name, value,
			       k->min, k->max);
	if (k->type != KEY_NUMBER && v != (double)(int64_t)v)
		return err_set(e, "%s: '%s' is not whole; give a whole number", k->name, value);
	if (k->type == KEY_COUNT)
		*(int64_t *)((char *)p + k->offset) = (int64_t)v;
	else if (k->type == KEY_NUMBER)
		*(double *)((char *)p + k->offset) = v;
	return 0;
}

static int set_key(const char *word, const char *value, struct profile *p, unsigned *seen,
		   struct err *e)
{
	size_t i = 0;

	while (i < KEYS && strcmp(keys[i].name, word) != 0)
		i++;
	if (i == KEYS)
		return unknown_key(word, e);
	if (i > 0 && !(*seen & 1))
		return err_set(e, "'%s' comes before the version; begin with 'toktrace_profile = %d'",
			       word, PROFILE_VERSION);
	if (*seen & 1u << i)
		return err_set(e, "'%s' is given twice; keep one", word);
	*seen |= 1u << i;
	if (!*value)
		return err_set(e, "%s: no value; write '%s = VALUE'", word, word);
	if (keys[i].type == KEY_TEXT) {
		snprintf(p->model, sizeof(p->model), "%s", value);
		return 0;
	}
	return set_number(&keys[i], value, p, e);
}

static struct str trim(const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
		n--;
	return (struct str){ p, n };
}

static int word_of(struct str s, char word[WORD_MAX + 1], struct err *e)
{
	if (s.n > WORD_MAX)
		return err_set(e, "a word of %zu bytes; at most %d are allowed", s.n, WORD_MAX);
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return err_set(e, "byte 0x%02x; a profile is plain text",
				       (unsigned char)s.p[i]);
	}
	memcpy(word, s.p, s.n);
	word[s.n] = '\0';
	return 0;
}

static int parse_line(struct str line, struct profile *p, unsigned *seen, struct err *e)
{
	const char *hash = memchr(line.p, '#', line.n), *eq;
	char word[WORD_MAX + 1], value[WORD_MAX + 1];

	line = trim(line.p, hash ? (size_t)(hash - line.p) : line.n);
	if (line.n == 0)
		return 0;
	eq = memchr(line.p, '=', line.n);
	if (!eq)
		return err_set(e, "no '='; a line is 'key = value' or a comment after '#'");
	if (word_of(trim(line.p, (size_t)(eq - line.p)), word, e) < 0)
		return -1;
	if (word_of(trim(eq + 1, line.n - (size_t)(eq + 1 - line.p)), value, e) < 0)
		return -1;
	return set_key(word, value, p, seen, e);
}

/* What no single line can tell. */
static int check_whole(const struct profile *p, unsigned seen, struct err *e)
{
	if (!(seen & 1))
		return err_set(e, "no 'toktrace_profile = %d' in it; is it a profile?",
			       PROFILE_VERSION);
	if (p->kv_tokens < p->max_model_len)
		return err_set(e,
			       "kv_tokens (%lld) is less than max_model_len (%lld): the longest "
			       "request would never run; raise kv_tokens or lower max_model_len",
			       (long long)p->kv_tokens, (long long)p->max_model_len);
	if (p->max_batched_tokens < p->max_num_seqs)
		return err_set(e,
			       "max_batched_tokens (%lld) is less than max_num_seqs (%lld): a step "
			       "could not hold a token of each; raise it",
			       (long long)p->max_batched_tokens, (long long)p->max_num_seqs);
	if (p->step_base_us + p->step_sequence_us <= 0)
		return err_set(e, "step_base_us and step_sequence_us are both 0: steps would take "
				  "no time; give one of them");
	return 0;
}

int profile_parse(struct str text, struct profile *p, struct err *e)
{
	unsigned seen = 0;
	int line_no = 1;

	profile_init(p);
	for (; text.n; line_no++) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t n = lf ? (size_t)(lf - text.p) : text.n;

		if (parse_line((struct str){ text.p, n }, p, &seen, e) < 0)
			return err_wrap(e, "line %d", line_no);
		n += lf ? 1 : 0;
		text.p += n;
		text.n -= n;
	}
	return check_whole(p, seen, e);
}

static int read_file(const char *path, struct buf *b, struct err *e)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	char part[4096];
	size_t n;
	int rc = 0;

	if (!f)
		return err_set(e, "%s; name a profile file, see tokserve(1)", strerror(errno));
	while (rc == 0 && (n = fread(part, 1, sizeof(part), f)) > 0) {
		if (buf_add(b, part, n) < 0)
			rc = err_set(e, "larger than 1 MiB; is it a profile?");
	}
	if (rc == 0 && ferror(f))
		rc = err_set(e, "%s", strerror(errno));
	if (f != stdin)
		fclose(f);
	return rc;
}

int profile_load(const char *path, struct profile *p, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, PROFILE_FILE_MAX);
	rc = read_file(path, &b, e);
	if (rc == 0)
		rc = profile_parse(buf_str(&b), p, e);
	buf_release(&b);
	return rc < 0 ? err_wrap(e, "%s", path) : 0;
}
