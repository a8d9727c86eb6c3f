#include <config.h>

#include "record/redact.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/secret.h"
#include "record/redact_rule.h"

enum { RULES_MAX = 1024, LINE_BYTES = 4096, DEPTH_MAX = 512 };

struct redact {
	struct rule *rules;
	size_t n, cap;
};

struct redact *redact_create(void)
{
	return calloc(1, sizeof(struct redact));
}

void redact_free(struct redact *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		rule_release(&r->rules[i]);
	free(r->rules);
	free(r);
}

bool redact_any(const struct redact *r)
{
	return r && r->n > 0;
}

int redact_add(struct redact *r, const char *text, struct err *e)
{
	if (r->n == RULES_MAX)
		return err_set(e, "more than %d rules", RULES_MAX);
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 8;
		struct rule *v = realloc(r->rules, cap * sizeof(*v));

		if (!v)
			return err_set(e, "out of memory");
		r->rules = v;
		r->cap = cap;
	}
	if (rule_parse(&r->rules[r->n], text, e) < 0)
		return -1;
	r->n++;
	return 0;
}

static char *trimmed(char *line)
{
	size_t n;

	line += strspn(line, " \t\r\n");
	for (n = strlen(line); n && strchr(" \t\r\n", line[n - 1]); n--)
		line[n - 1] = '\0';
	return line;
}

int redact_add_file(struct redact *r, const char *path, struct err *e)
{
	FILE *f = fopen(path, "r");
	char line[LINE_BYTES], *rule;
	int number = 0, rc = 0;

	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	while (rc == 0 && fgets(line, sizeof(line), f)) {
		number++;
		rule = trimmed(line);
		if (*rule && *rule != '#' && redact_add(r, rule, e) < 0)
			rc = err_wrap(e, "%s: line %d", path, number);
	}
	if (rc == 0 && ferror(f))
		rc = err_set(e, "%s: %s", path, strerror(errno ? errno : EIO));
	fclose(f);
	return rc;
}

/* ---- places ---- */

/* Where each rule is, for one place in a document; one array of r->n a level. */
struct walk {
	const struct redact *r;
	struct buf levels;
	bool failed;      /* out of memory, or too deep */
};

static const uint64_t *level(const struct walk *w, size_t depth)
{
	return (const uint64_t *)(const void *)w->levels.p + depth * w->r->n;
}

static void begin(struct walk *w, const struct redact *r)
{
	*w = (struct walk){ .r = r };
	buf_init(&w->levels, (DEPTH_MAX + 2) * r->n * sizeof(uint64_t));
	for (size_t i = 0; i < r->n; i++) {
		uint64_t at = rule_begin(&r->rules[i]);

		w->failed |= buf_add(&w->levels, &at, sizeof(at)) < 0;
	}
}

/* Goes from level depth to depth + 1. */
static void into(struct walk *w, size_t depth, struct str name, int64_t index)
{
	w->levels.n = (depth + 1) * w->r->n * sizeof(uint64_t);
	if (depth >= DEPTH_MAX || buf_reserve(&w->levels, w->r->n * sizeof(uint64_t)) < 0) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < w->r->n; i++) {
		uint64_t at = rule_into(&w->r->rules[i], level(w, depth)[i], name, index);

		buf_add(&w->levels, &at, sizeof(at));
	}
}

static bool here(const struct walk *w, size_t depth)
{
	for (size_t i = 0; i < w->r->n; i++)
		if (rule_here(&w->r->rules[i], level(w, depth)[i]))
			return true;
	return false;
}

static bool below(const struct walk *w, size_t depth)
{
	for (size_t i = 0; i < w->r->n; i++)
		if (rule_below(&w->r->rules[i], level(w, depth)[i]))
			return true;
	return false;
}

/* Follows a path of names and "[]"; true if a rule leads to a place on the way. */
static bool follow(struct walk *w, const char *at, size_t *depth)
{
	bool covered = false;

	*depth = 0;
	while (at && *at && !w->failed) {
		size_t n;

		at += *at == '.';
		n = *at == '[' ? 0 : strcspn(at, ".[");
		into(w, *depth, (struct str){ at, n }, n ? INDEX_NONE : INDEX_ANY);
		if (w->failed)
			break;
		covered |= here(w, ++*depth);
		at += n ? n : strcspn(at, "]") + 1;
	}
	return covered;
}

/* ---- documents ---- */

static json_t *blot(struct walk *w, size_t depth, json_t *v, bool *changed);

static void blot_object(struct walk *w, size_t depth, json_t *object, bool *changed)
{
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v) {
		json_t *instead;

		into(w, depth, str_of(key), INDEX_NONE);
		if (w->failed)
			return;
		instead = blot(w, depth + 1, v, changed);
		/* Replacing the value of a key that is there does not disturb the walk. */
		if (instead)
			json_object_set_new_nocheck(object, key, instead);
	}
}

static void blot_array(struct walk *w, size_t depth, json_t *array, bool *changed)
{
	for (size_t i = 0; i < json_array_size(array) && !w->failed; i++) {
		json_t *instead;

		into(w, depth, (struct str){ NULL, 0 }, (int64_t)i);
		if (w->failed)
			return;
		instead = blot(w, depth + 1, json_array_get(array, i), changed);
		if (instead)
			json_array_set_new(array, i, instead);
	}
}

static json_t *load(struct str json)
{
	/* Of a member that stands twice only one would be seen. */
	return json_loadb(json.p ? json.p : "", json.n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
}

static int dump_piece(const char *p, size_t n, void *arg)
{
	return buf_add(arg, p, n);
}

static int dump(const json_t *v, struct buf *out)
{
	return json_dump_callback(v, dump_piece, out, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* A string that is a JSON document: the new string, or NULL if nothing changes. */
static json_t *blot_inside(struct walk *w, size_t depth, const json_t *string, bool *changed)
{
	struct str s = { json_string_value(string), json_string_length(string) };
	size_t space = strspn(s.p, " \t\r\n");
	bool inner = false;
	struct buf text;
	json_t *doc, *instead = NULL;

	if (s.p[space] != '{' && s.p[space] != '[')
		return NULL;
	doc = load(s);
	if (!doc)
		return NULL;
	blot(w, depth, doc, &inner);
	if (inner && !w->failed) {
		buf_init(&text, 4 * s.n + 4096);
		if (dump(doc, &text) == 0)
			instead = json_stringn_nocheck(text.p, text.n);
		w->failed |= !instead;
		buf_release(&text);
		*changed = true;
	}
	json_decref(doc);
	return instead;
}

/* What stands instead of v; NULL: v itself, perhaps changed within. */
static json_t *blot(struct walk *w, size_t depth, json_t *v, bool *changed)
{
	if (json_is_null(v))
		return NULL;
	if (here(w, depth)) {
		json_t *mark = json_string(SECRET_MARK);

		w->failed |= !mark;
		*changed = true;
		return mark;
	}
	if (!below(w, depth))
		return NULL;
	if (json_is_object(v))
		blot_object(w, depth, v, changed);
	else if (json_is_array(v))
		blot_array(w, depth, v, changed);
	else if (json_is_string(v))
		return blot_inside(w, depth, v, changed);
	return NULL;
}

static enum redacted finish(struct walk *w, const json_t *doc, bool changed, struct buf *out)
{
	size_t n = out->n;

	if (w->failed)
		return REDACT_UNREADABLE;
	if (!changed)
		return REDACT_NOTHING;
	if (dump(doc, out) == 0)
		return REDACT_CHANGED;
	out->n = n;
	return REDACT_UNREADABLE;
}

/* What an event says of the whole answer stands under one of these. */
static bool blot_answer(struct walk *w, const char *at, size_t depth, json_t *doc)
{
	static const char *const whole[] = { "response", "message", NULL };
	bool changed = false;

	blot(w, depth, doc, &changed);
	for (const char *const *k = whole; *k && !at; k++) {
		json_t *inner = json_object_get(doc, *k);

		if (json_is_object(inner) && !w->failed)
			blot(w, 0, inner, &changed);
	}
	return changed;
}

enum redacted redact_json(const struct redact *r, const char *at, struct str json, struct buf *out)
{
	enum redacted done;
	bool changed;
	struct walk w;
	size_t depth;
	json_t *doc;

	begin(&w, r);
	if (follow(&w, at, &depth) && !w.failed) {
		buf_release(&w.levels);
		return buf_adds(out, "\"" SECRET_MARK "\"") < 0 ? REDACT_UNREADABLE : REDACT_CHANGED;
	}
	doc = load(json);
	if (doc && !w.failed)
		changed = blot_answer(&w, at, depth, doc);
	else
		changed = false;
	done = doc ? finish(&w, doc, changed, out) : REDACT_UNREADABLE;
	json_decref(doc);
	buf_release(&w.levels);
	return done;
}

bool redact_covers(const struct redact *r, const char *at)
{
	struct walk w;
	size_t depth;
	bool yes;

	begin(&w, r);
	yes = follow(&w, at, &depth) || w.failed;
	buf_release(&w.levels);
	return yes;
}

bool redact_enters(const struct redact *r, const char *at)
{
	struct walk w;
	size_t depth;
	bool yes;

	begin(&w, r);
	follow(&w, at, &depth);
	yes = w.failed || below(&w, depth);
	buf_release(&w.levels);
	return yes;
}
