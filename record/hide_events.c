#include <config.h>

#include "record/hide_events.h"

#include <jansson.h>
#include <stdlib.h>

#include "formats/base/secret.h"
#include "formats/wire/scan.h"

/* Where the words of a class of events stand in the answers of an API, streamed and whole. */
static const struct place {
	enum api_kind api;
	enum event_class cls;
	const char *path;
} places[] = {
	{ API_CHAT, EV_ROLE, "choices[].delta.role" }, { API_CHAT, EV_ROLE, "choices[].message.role" },
	{ API_CHAT, EV_CONTENT, "choices[].delta.content" }, { API_CHAT, EV_CONTENT, "choices[].message.content" },
	{ API_CHAT, EV_REASONING, "choices[].delta.reasoning" },
	{ API_CHAT, EV_REASONING, "choices[].delta.reasoning_content" },
	{ API_CHAT, EV_REASONING, "choices[].message.reasoning" },
	{ API_CHAT, EV_REASONING, "choices[].message.reasoning_content" },
	{ API_CHAT, EV_REFUSAL, "choices[].delta.refusal" }, { API_CHAT, EV_REFUSAL, "choices[].message.refusal" },
	{ API_COMPLETIONS, EV_CONTENT, "choices[].text" },
	{ API_RESPONSES, EV_ROLE, "output[].role" }, { API_RESPONSES, EV_ROLE, "item.role" },
	{ API_RESPONSES, EV_CONTENT, "delta" }, { API_RESPONSES, EV_CONTENT, "output[].content[].text" },
	{ API_RESPONSES, EV_REASONING, "delta" }, { API_RESPONSES, EV_REASONING, "output[].summary[].text" },
	{ API_RESPONSES, EV_REASONING, "output[].content[].text" },
	{ API_RESPONSES, EV_REFUSAL, "delta" }, { API_RESPONSES, EV_REFUSAL, "output[].content[].refusal" },
	{ API_MESSAGES, EV_ROLE, "message.role" }, { API_MESSAGES, EV_ROLE, "role" },
	{ API_MESSAGES, EV_CONTENT, "delta.text" }, { API_MESSAGES, EV_CONTENT, "content[].text" },
	{ API_MESSAGES, EV_REASONING, "delta.thinking" }, { API_MESSAGES, EV_REASONING, "content[].thinking" },
	{ API_OLLAMA_CHAT, EV_ROLE, "message.role" }, { API_OLLAMA_CHAT, EV_CONTENT, "message.content" },
	{ API_OLLAMA_CHAT, EV_REASONING, "message.thinking" },
	{ API_OLLAMA_GENERATE, EV_CONTENT, "response" }, { API_OLLAMA_GENERATE, EV_REASONING, "thinking" },
	{ API_NONE, EV_OTHER, NULL },
};

/* The same for the parts of a call, which in a trace has one shape for all (toktrace.5). */
static const struct call {
	enum api_kind api;
	const char *id, *name, *arguments;
} calls[] = {
	{ API_CHAT, "choices[].delta.tool_calls[].id", "choices[].delta.tool_calls[].function.name",
	  "choices[].delta.tool_calls[].function.arguments" },
	{ API_CHAT, "choices[].message.tool_calls[].id", "choices[].message.tool_calls[].function.name",
	  "choices[].message.tool_calls[].function.arguments" },
	{ API_CHAT, "choices[].delta.function_call", "choices[].delta.function_call.name",
	  "choices[].delta.function_call.arguments" },
	{ API_RESPONSES, "output[].call_id", "output[].name", "output[].arguments" },
	{ API_RESPONSES, "item.call_id", "item.name", "output[].input" },
	{ API_RESPONSES, "item.id", "item.name", "delta" },
	{ API_MESSAGES, "content[].id", "content[].name", "content[].input" },
	{ API_MESSAGES, "content_block.id", "content_block.name", "delta.partial_json" },
	{ API_OLLAMA_CHAT, "message.tool_calls[].id", "message.tool_calls[].function.name",
	  "message.tool_calls[].function.arguments" },
	{ API_NONE, NULL, NULL, NULL },
};

enum treatment { TREAT_KEEP, TREAT_BLOT, TREAT_JSON, TREAT_CALL, TREAT_ERROR };

enum { PLANS = 16 }; /* kinds of API */

struct event_plans {
	const struct redact *rules;
	unsigned char how[PLANS][EV_CLASSES];
};

static bool covers_call(const struct redact *rules, const struct call *c)
{
	return redact_covers(rules, c->id) || redact_covers(rules, c->name) ||
		redact_covers(rules, c->arguments) || redact_enters(rules, c->arguments);
}

struct event_plans *event_plans_create(const struct redact *rules)
{
	struct event_plans *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->rules = rules;
	for (int k = 0; k < PLANS; k++) {
		p->how[k][EV_OTHER] = TREAT_JSON;
		p->how[k][EV_USAGE] = TREAT_JSON;
		p->how[k][EV_ERROR] = TREAT_ERROR;
	}
	for (const struct place *w = places; w->path; w++)
		if (redact_covers(rules, w->path))
			p->how[w->api][w->cls] = TREAT_BLOT;
	for (const struct call *c = calls; c->id; c++)
		if (covers_call(rules, c))
			p->how[c->api][EV_TOOL] = TREAT_CALL;
	return p;
}

void event_plans_free(struct event_plans *p)
{
	free(p);
}

static struct str blotted(struct buf *out)
{
	buf_clear(out);
	buf_adds(out, SECRET_MARK);
	return buf_str(out);
}

/* Rules on a document at a place; what no rule can be applied to is blotted. */
static struct str by_rules(const struct redact *rules, const char *at, struct str text, struct buf *out, bool *changed)
{
	buf_clear(out);
	switch (redact_json(rules, at, text, out)) {
	case REDACT_NOTHING:
		return text;
	case REDACT_CHANGED:
		*changed = true;
		return buf_str(out);
	default:
		*changed = true;
		return blotted(out);
	}
}

static void blot_member(json_t *o, const char *key, bool *changed)
{
	const json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v) || (json_is_string(v) && json_string_length(v) == 0))
		return;
	json_object_set_new(o, key, json_string(SECRET_MARK));
	*changed = true;
}

/* A rule may lead into arguments only where they are whole; of a piece nobody knows what it is of. */
static void hide_arguments(const struct redact *rules, json_t *function, const char *at, bool *changed)
{
	const json_t *v = json_object_get(function, "arguments");
	struct str text = { json_string_value(v), json_string_length(v) };
	struct buf out;

	if (!json_is_string(v) || text.n == 0)
		return;
	if (redact_covers(rules, at)) {
		blot_member(function, "arguments", changed);
		return;
	}
	if (!redact_enters(rules, at))
		return;
	buf_init(&out, SIZE_MAX);
	switch (redact_json(rules, at, text, &out)) {
	case REDACT_CHANGED:
		json_object_set_new(function, "arguments", json_stringn(out.p, out.n));
		*changed = true;
		break;
	case REDACT_UNREADABLE:
		blot_member(function, "arguments", changed);
		break;
	default:
		break;
	}
	buf_release(&out);
}

static struct str hide_call(const struct redact *rules, enum api_kind api, struct str text, struct buf *out, bool *changed)
{
	json_t *entry = json_loadb(text.p, text.n, JSON_ALLOW_NUL, NULL), *function = json_object_get(entry, "function");
	bool mine = !json_is_object(entry);
	char *dumped = NULL;

	for (const struct call *c = calls; c->id && json_is_object(entry); c++) {
		if (c->api != api)
			continue;
		if (redact_covers(rules, c->id))
			blot_member(entry, "id", &mine);
		if (redact_covers(rules, c->name))
			blot_member(function, "name", &mine);
		if (json_is_object(function))
			hide_arguments(rules, function, c->arguments, &mine);
	}
	if (mine && json_is_object(entry))
		dumped = json_dumps(entry, JSON_COMPACT);
	json_decref(entry);
	*changed |= mine;
	if (!mine)
		return text;
	buf_clear(out);
	if (!dumped || buf_adds(out, dumped) < 0)
		blotted(out);
	free(dumped);
	return buf_str(out);
}

/* Ollama's counts stand in the last line, among all else. */
static const char *usage_place(enum api_kind api)
{
	return api == API_OLLAMA_CHAT || api == API_OLLAMA_GENERATE ? NULL : "usage";
}

/* Words about a failure under a type of event that nobody knows. */
static bool tells_of_error(struct str text)
{
	struct scan s = scan_of(text);
	struct str key;
	bool yes = false;

	if (scan_peek(&s) != SCAN_OBJECT)
		return true;
	scan_object(&s);
	while (scan_key(&s, &key))
		yes |= !str_is(scan_raw(&s), "null") && str_is(key, "error");
	return yes || s.bad;
}

static struct str hide_text(const struct event_plans *p, enum api_kind api, bool errors, const struct event *e,
			    struct buf *out, bool *changed)
{
	switch (p->how[api][e->cls]) {
	case TREAT_JSON:
		if (errors && e->cls == EV_OTHER && tells_of_error(e->text))
			break;
		return by_rules(p->rules, e->cls == EV_USAGE ? usage_place(api) : NULL, e->text, out, changed);
	case TREAT_CALL:
		return hide_call(p->rules, api, e->text, out, changed);
	case TREAT_ERROR:
		if (!errors)
			return by_rules(p->rules, NULL, e->text, out, changed);
		break;
	case TREAT_BLOT:
		break;
	default:
		return e->text;
	}
	*changed = true;
	return blotted(out);
}

static bool plain_run(const struct event_plans *p, enum api_kind api, const struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++)
		if (ev->text_len[i] && p->how[api][ev->cls[i]] != TREAT_KEEP)
			return false;
	return true;
}

bool hide_events(const struct event_plans *p, enum api_kind api, bool errors, struct events *ev,
		 struct events *store)
{
	struct events_iter it = { 0 };
	struct buf out;
	bool changed = false;
	struct event e;

	if ((int)api >= PLANS || plain_run(p, api, ev))
		return false;
	buf_init(&out, SIZE_MAX);
	while (events_next(ev, &it, &e)) {
		if (e.text.n)
			e.text = hide_text(p, api, errors, &e, &out, &changed);
		e.text_len = e.text.n;
		/* Without memory an event is kept, its words are not. */
		if (events_add(store, &e) < 0) {
			changed = true;
			ev->has_text = false;
			break;
		}
	}
	if (changed && ev->has_text)
		*ev = *store;
	buf_release(&out);
	return changed;
}
