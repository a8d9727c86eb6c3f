/* The JSON body of a response that is not streamed, joined from its events. */
#include <config.h>

#include "replay/chunk.h"

#include <jansson.h>
#include <stdlib.h>

#include "formats/base/clock.h"

/* Texts of one choice; strings may hold any bytes, so they are kept apart from jansson. */
struct choice_text {
	struct buf content, reasoning, refusal;
	json_t *tools;
	struct str finish;
};

enum { CHOICE_MAX = 1024, TEXT_MAX = 1 << 28 };

static void append(json_t *to, const json_t *from, const char *key)
{
	const char *a = json_string_value(json_object_get(to, key));
	const char *b = json_string_value(json_object_get(from, key));

	if (b)
		json_object_set_new(to, key, json_sprintf("%s%s", a ? a : "", b));
}

/* A streamed call comes in fragments: the first names it, the next ones add arguments. */
static void add_tool(json_t *tools, struct str raw)
{
	json_t *entry = raw.n ? json_loadb(raw.p, raw.n, 0, NULL) : NULL;
	json_t *index = json_object_get(entry, "index"), *old;
	size_t i;

	if (index) {
		json_array_foreach(tools, i, old) {
			if (!json_equal(json_object_get(old, "index"), index))
				continue;
			append(json_object_get(old, "function"), json_object_get(entry, "function"),
			       "arguments");
			json_decref(entry);
			return;
		}
	}
	if (entry)
		json_array_append_new(tools, entry);
}

static int take(struct choice_text *c, const struct event *e)
{
	switch (e->cls) {
	case EV_CONTENT:
		return buf_add(&c->content, e->text.p, e->text.n);
	case EV_REASONING:
		return buf_add(&c->reasoning, e->text.p, e->text.n);
	case EV_REFUSAL:
		return buf_add(&c->refusal, e->text.p, e->text.n);
	case EV_TOOL:
		if (!c->tools)
			c->tools = json_array();
		add_tool(c->tools, e->text);
		return 0;
	case EV_FINISH:
		c->finish = e->text;
		return 0;
	default:
		return 0;
	}
}

static int text_member(struct buf *out, struct str key, struct buf *text)
{
	return buf_adds(out, ",") | chunk_string(out, key) | buf_adds(out, ":") |
	       chunk_string(out, buf_str(text));
}

static int message(struct buf *out, const struct chunk_head *h, struct choice_text *c)
{
	int rc = buf_adds(out, ",\"message\":{\"role\":\"assistant\"");

	if (c->content.n || !c->tools)
		rc |= text_member(out, str_of("content"), &c->content);
	else
		rc |= buf_adds(out, ",\"content\":null");
	if (c->reasoning.n)
		rc |= text_member(out, h->reasoning_key.p ? h->reasoning_key :
				  str_of("reasoning_content"), &c->reasoning);
	if (c->refusal.n)
		rc |= text_member(out, str_of("refusal"), &c->refusal);
	if (c->tools) {
		char *tools = json_dumps(c->tools, JSON_COMPACT);

		rc |= tools ? buf_printf(out, ",\"tool_calls\":%s", tools) : -1;
		free(tools);
	}
	return rc | buf_adds(out, "}");
}

static int put_choice(struct buf *out, const struct chunk_head *h, struct choice_text *c, size_t i)
{
	int rc = buf_printf(out, "%s{\"index\":%zu", i ? "," : "", i);

	if (h->api == API_COMPLETIONS)
		rc |= text_member(out, str_of("text"), &c->content);
	else
		rc |= message(out, h, c);
	rc |= buf_adds(out, ",\"logprobs\":null,\"finish_reason\":");
	rc |= c->finish.p ? chunk_string(out, c->finish) : buf_adds(out, "null");
	return rc | buf_adds(out, "}");
}

static int put_body(struct buf *out, const struct chunk_head *h, struct choice_text *c, size_t n)
{
	int rc = buf_adds(out, "{\"id\":") | chunk_string(out, h->id);

	rc |= buf_printf(out, ",\"object\":\"%s\",\"created\":%lld,\"model\":",
			 h->api == API_COMPLETIONS ? "text_completion" : "chat.completion",
			 (long long)h->created_s);
	rc |= chunk_string(out, h->model) | buf_adds(out, ",\"choices\":[");
	for (size_t i = 0; i < n; i++)
		rc |= put_choice(out, h, &c[i], i);
	rc |= buf_adds(out, "]");
	if (h->usage.completion != COUNT_NONE || h->usage.prompt != COUNT_NONE)
		rc |= buf_adds(out, ",\"usage\":") | chunk_usage(out, &h->usage, COUNT_NONE);
	return rc | buf_adds(out, "}");
}

static size_t count_choices(const struct events *ev)
{
	size_t n = 1;

	for (size_t i = 0; i < ev->n; i++) {
		if (ev->choice[i] >= 0 && (size_t)ev->choice[i] >= n)
			n = (size_t)ev->choice[i] + 1;
	}
	return n < CHOICE_MAX ? n : CHOICE_MAX;
}

int chunk_whole(struct buf *out, const struct chunk_head *h, const struct events *ev)
{
	size_t n = count_choices(ev);
	struct choice_text *c = calloc(n, sizeof(*c));
	struct events_iter it = { 0 };
	struct event e;
	int rc = c ? 0 : -1;

	for (size_t i = 0; c && i < n; i++) {
		buf_init(&c[i].content, TEXT_MAX);
		buf_init(&c[i].reasoning, TEXT_MAX);
		buf_init(&c[i].refusal, TEXT_MAX);
	}
	while (c && events_next(ev, &it, &e)) {
		if (e.choice >= 0 && (size_t)e.choice < n && e.text.p)
			rc |= take(&c[e.choice], &e);
	}
	if (rc == 0)
		rc = put_body(out, h, c, n);
	for (size_t i = 0; c && i < n; i++) {
		buf_release(&c[i].content);
		buf_release(&c[i].reasoning);
		buf_release(&c[i].refusal);
		json_decref(c[i].tools);
	}
	free(c);
	return rc;
}
