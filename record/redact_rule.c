#include <config.h>

#include "record/redact_rule.h"

#include <stdlib.h>

#include "formats/base/buf.h"

void rule_release(struct rule *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->steps[i].name);
	r->n = 0;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		c == '-' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (is_name_byte(p[n]))
		n++;
	return n;
}

static int add_step(struct rule *r, enum step_kind kind, const char *name, size_t n, int64_t index)
{
	struct step *s = &r->steps[r->n];

	*s = (struct step){ .kind = kind, .index = index };
	if (name) {
		s->name = strndup(name, n);
		if (!s->name)
			return -1;
	}
	r->n++;
	return 0;
}

/* "[]", "[12]", "[\"any name\"]"; bytes used, or 0. */
static size_t bracket(struct rule *r, const char *p)
{
	size_t n = strspn(p + 1, "0123456789");
	const char *close;

	if (p[1] == ']')
		return add_step(r, STEP_ELEMENTS, NULL, 0, 0) == 0 ? 2 : 0;
	if (n > 0 && n < 10 && p[1 + n] == ']')
		return add_step(r, STEP_INDEX, NULL, 0, atol(p + 1)) == 0 ? n + 2 : 0;
	if (p[1] != '"')
		return 0;
	close = strstr(p + 2, "\"]");
	if (!close || close == p + 2)
		return 0;
	return add_step(r, STEP_NAME, p + 2, (size_t)(close - p - 2), 0) == 0 ? (size_t)(close - p) + 2 : 0;
}

/* "name", "*", "**"; bytes used, or 0. */
static size_t word(struct rule *r, const char *p)
{
	size_t n = name_length(p);

	if (n)
		return add_step(r, STEP_NAME, p, n, 0) == 0 ? n : 0;
	if (strncmp(p, "**", 2) == 0)
		return add_step(r, STEP_DEEP, NULL, 0, 0) == 0 ? 2 : 0;
	return *p == '*' && add_step(r, STEP_MEMBERS, NULL, 0, 0) == 0 ? 1 : 0;
}

/* Bytes that were understood; all of them if it is a rule. */
static size_t parse(struct rule *r, const char *text)
{
	const char *p = text;

	r->n = 0;
	while (*p && r->n < RULE_STEPS_MAX) {
		size_t dot = p > text && *p == '.', used;

		if (*p == '[')
			used = bracket(r, p);
		else if (p == text || dot)
			used = word(r, p + dot);
		else
			used = 0;
		if (used == 0)
			break;
		p += dot + used;
	}
	/* What "**" leads to has to be said. */
	if (!*p && r->n && r->steps[r->n - 1].kind == STEP_DEEP)
		return (size_t)(p - text) - 2;
	return (size_t)(p - text);
}

/* What people write who know JSONPath, jq or JSON Pointer, in our spelling. */
static void respell(const char *t, struct buf *out)
{
	static const struct {
		const char *from, *to;
	} pairs[] = {
		{ "[*]", "[]" }, { ".[", "[" }, { "['", "[\"" }, { "']", "\"]" }, { "...", ".**." },
		{ "..", ".**." }, { "/", "." }, { " ", "" }, { "\t", "" }, { NULL, NULL },
	};

	if (*t == '$' && t[1] == '.' && t[2] == '.') {
		buf_adds(out, "**.");
		t += 3;
	}
	t += strspn(t, "$./ ");
	while (*t) {
		size_t i = 0, n;

		while (pairs[i].from && strncmp(t, pairs[i].from, strlen(pairs[i].from)) != 0)
			i++;
		n = pairs[i].from ? strlen(pairs[i].from) : 1;
		if (pairs[i].from)
			buf_adds(out, pairs[i].to);
		else
			buf_add(out, t, 1);
		t += n;
	}
	if (out->n > 2 && memcmp(out->p + out->n - 2, "**", 2) == 0)
		buf_adds(out, ".*");
	while (out->n && out->p[out->n - 1] == '.')
		out->n--;
}

int rule_parse(struct rule *r, const char *text, struct err *e)
{
	size_t understood = parse(r, text);
	struct buf near;
	int rc;

	if (text[understood] == '\0' && understood > 0)
		return 0;
	rule_release(r);
	buf_init(&near, 4096);
	respell(text, &near);
	if (near.n && strlen(buf_cstr(&near)) == parse(r, buf_cstr(&near)) && strcmp(buf_cstr(&near), text) != 0)
		rc = err_set(e, "'%s' is no rule at character %zu; did you mean '%s'?", text, understood + 1,
			     buf_cstr(&near));
	else
		rc = err_set(e, "'%s' is no rule at character %zu; rules look like 'user', 'metadata.*', "
			     "'messages[].content', '**.email', 'metadata[\"a.b\"]'", text, understood + 1);
	rule_release(r);
	buf_release(&near);
	return rc;
}

/* "**" may also stand for nothing: then the step behind it is next as well. */
static uint64_t with_deep(const struct rule *r, uint64_t at)
{
	for (size_t i = 0; i < r->n; i++)
		if ((at >> i & 1) && r->steps[i].kind == STEP_DEEP)
			at |= UINT64_C(1) << (i + 1);
	return at;
}

uint64_t rule_begin(const struct rule *r)
{
	return with_deep(r, 1);
}

static bool fits(const struct step *s, struct str name, int64_t index)
{
	switch (s->kind) {
	case STEP_NAME: return index == INDEX_NONE && str_is(name, s->name);
	case STEP_MEMBERS: return index == INDEX_NONE;
	case STEP_ELEMENTS: return index != INDEX_NONE;
	case STEP_INDEX: return index == INDEX_ANY || index == s->index;
	default: return false;
	}
}

uint64_t rule_into(const struct rule *r, uint64_t at, struct str name, int64_t index)
{
	uint64_t next = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!(at >> i & 1))
			continue;
		if (r->steps[i].kind == STEP_DEEP)
			next |= UINT64_C(1) << i;
		else if (fits(&r->steps[i], name, index))
			next |= UINT64_C(1) << (i + 1);
	}
	return with_deep(r, next);
}
