#include <config.h>

#include "formats/wire/chunk.h"

#include <stdlib.h>

#include "formats/base/clock.h"

void chunk_init(struct chunk *c, size_t max)
{
	*c = (struct chunk){ .n_parts = 0 };
	buf_init(&c->text, max);
}

void chunk_release(struct chunk *c)
{
	free(c->parts);
	buf_release(&c->text);
}

void part_begin(struct chunk *c, enum event_class cls)
{
	if (c->n_parts == c->cap_parts) {
		size_t cap = c->cap_parts ? 2 * c->cap_parts : 8;
		struct part *p = realloc(c->parts, cap * sizeof(*p));

		if (!p) {
			c->out_of_memory = true;
			if (!c->cap_parts)
				return;
			c->n_parts--;
		} else {
			c->parts = p;
			c->cap_parts = cap;
		}
	}
	c->parts[c->n_parts++] = (struct part){ cls, 0, c->text.n, 0 };
}

void part_end(struct chunk *c)
{
	struct part *p;

	if (c->n_parts == 0)
		return;
	p = &c->parts[c->n_parts - 1];
	p->len = c->text.n - p->off;
	if (p->len == 0)
		c->n_parts--;
}

void part_string(struct scan *s, struct chunk *c, enum event_class cls)
{
	if (scan_peek(s) != SCAN_STRING) {
		scan_raw(s);
		return;
	}
	part_begin(c, cls);
	scan_string(s, &c->text);
	part_end(c);
}

void part_raw(struct chunk *c, enum event_class cls, struct str raw)
{
	part_begin(c, cls);
	if (buf_add(&c->text, raw.p, raw.n) < 0)
		c->out_of_memory = true;
	part_end(c);
}

/* A count, or COUNT_NONE for null, text and negative numbers. */
static int64_t count_value(struct scan *s)
{
	int64_t v;

	if (scan_peek(s) != SCAN_NUMBER) {
		scan_raw(s);
		return COUNT_NONE;
	}
	v = scan_int(s);
	return v < 0 ? COUNT_NONE : v;
}

static void details(struct scan *s, const char *name, int64_t *out)
{
	struct str key;

	if (scan_peek(s) != SCAN_OBJECT) {
		scan_raw(s);
		return;
	}
	scan_object(s);
	while (scan_key(s, &key)) {
		if (str_is(key, name))
			*out = count_value(s);
		else
			scan_raw(s);
	}
}

struct usage usage_parse(struct str raw, const struct usage_names *names)
{
	struct scan s = scan_of(raw);
	struct usage u = USAGE_NONE;
	struct str key;

	if (scan_peek(&s) != SCAN_OBJECT)
		return u;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, names->prompt))
			u.prompt = count_value(&s);
		else if (str_is(key, names->completion))
			u.completion = count_value(&s);
		else if (str_is(key, "total_tokens"))
			u.total = count_value(&s);
		else if (str_is(key, names->completion_details))
			details(&s, "reasoning_tokens", &u.reasoning);
		else if (str_is(key, names->prompt_details))
			details(&s, "cached_tokens", &u.cached);
		else
			scan_raw(&s);
	}
	return s.bad ? USAGE_NONE : u;
}

static void choices(struct scan *s, struct chunk *c, choice_fn choice)
{
	if (scan_peek(s) != SCAN_ARRAY) {
		scan_raw(s);
		return;
	}
	scan_array(s);
	while (scan_item(s)) {
		if (scan_peek(s) != SCAN_OBJECT) {
			scan_raw(s);
			continue;
		}
		c->has_choices = true;
		scan_object(s);
		choice(s, c);
	}
}

static struct str name_value(struct scan *s)
{
	struct str raw = scan_peek(s) == SCAN_STRING ? scan_raw(s) : (scan_raw(s), (struct str){ NULL, 0 });

	return raw.p && raw.n >= 2 ? (struct str){ raw.p + 1, raw.n - 2 } : (struct str){ NULL, 0 };
}

static void member(struct scan *s, struct chunk *c, struct str key, choice_fn choice)
{
	if (str_is(key, "choices")) {
		choices(s, c, choice);
	} else if (str_is(key, "usage")) {
		c->has_usage = scan_peek(s) == SCAN_OBJECT;
		c->usage_raw = scan_raw(s);
	} else if (str_is(key, "model")) {
		c->model = name_value(s);
	} else if (str_is(key, "id")) {
		c->id = name_value(s);
	} else if (str_is(key, "object")) {
		c->has_error |= str_is(name_value(s), "error");
	} else if (str_is(key, "error")) {
		c->has_error |= scan_peek(s) != SCAN_NULL;
		scan_raw(s);
	} else {
		scan_raw(s);
	}
}

int chunk_parse(struct chunk *c, struct str data, choice_fn choice)
{
	static const struct usage_names names = {
		"prompt_tokens", "completion_tokens", "prompt_tokens_details", "completion_tokens_details",
	};
	struct scan s = scan_of(data);
	struct str key;

	c->n_parts = 0;
	buf_clear(&c->text);
	c->has_choices = c->has_usage = c->has_error = c->reasoning_content = false;
	c->model = c->id = (struct str){ NULL, 0 };
	c->usage = USAGE_NONE;
	if (scan_peek(&s) == SCAN_OBJECT) {
		scan_object(&s);
		while (scan_key(&s, &key))
			member(&s, c, key, choice);
	} else {
		scan_raw(&s);
	}
	if (!scan_at_end(&s))
		return -1;
	if (c->has_usage)
		c->usage = usage_parse(c->usage_raw, &names);
	return 0;
}
