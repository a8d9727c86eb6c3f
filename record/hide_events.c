#include <config.h>

#include "record/hide_events.h"

#include <jansson.h>
#include <stdlib.h>

#include "formats/base/secret.h"

/* Where the text of a class of events stands in the answers of an API, streamed and whole. */
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
	{ API_CHAT, EV_TOOL, "choices[].delta.tool_calls[]" }, { API_CHAT, EV_TOOL, "choices[].message.tool_calls[]" },
	{ API_COMPLETIONS, EV_CONTENT, "choices[].text" },
	{ API_NONE, EV_OTHER, NULL },
};

enum treatment { TREAT_KEEP, TREAT_BLOT, TREAT_JSON, TREAT_CALL, TREAT_ERROR };

enum { PLANS = 16 }; /* kinds of API */

struct event_plans {
	const struct redact *rules;
	unsigned char how[PLANS][EV_CLASSES];
	bool pieces[PLANS]; /* rules reach into the arguments of calls, which come in pieces */
};

static bool reaches_arguments(const struct redact *rules, const char *call)
{
	char path[128];
	static const char *const inner[] = { ".function.arguments", ".arguments", ".input", NULL };

	for (const char *const *i = inner; *i; i++) {
		snprintf(path, sizeof(path), "%s%s", call, *i);
		if (redact_enters(rules, path))
			return true;
	}
	return false;
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
		p->how[k][EV_TOOL] = TREAT_CALL;
	}
	for (const struct place *w = places; w->path; w++) {
		if (redact_covers(rules, w->path))
			p->how[w->api][w->cls] = TREAT_BLOT;
		if (w->cls == EV_TOOL)
			p->pieces[w->api] |= reaches_arguments(rules, w->path);
	}
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

static bool is_document(const json_t *string)
{
	json_t *doc = json_loadb(json_string_value(string), json_string_length(string), JSON_ALLOW_NUL, NULL);
	bool yes = doc != NULL;

	json_decref(doc);
	return yes;
}

/* Blots each piece of arguments; a whole document among them has been through the rules. */
static bool blot_pieces(json_t *v)
{
	static const char *const keys[] = { "arguments", "input", "partial_json", "delta", NULL };
	json_t *function = json_object_get(v, "function");
	bool changed = json_is_object(function) && blot_pieces(function);

	for (const char *const *k = keys; *k; k++) {
		json_t *a = json_object_get(v, *k);

		if (!json_is_string(a) || !json_string_length(a) || is_document(a))
			continue;
		json_object_set_new(v, *k, json_string(SECRET_MARK));
		changed = true;
	}
	return changed;
}

static struct str without_pieces(struct str call, struct buf *out, bool *changed)
{
	json_t *v = json_loadb(call.p, call.n, JSON_ALLOW_NUL, NULL);
	char *text = NULL;

	if (json_is_object(v) && !blot_pieces(v)) {
		json_decref(v);
		return call;
	}
	*changed = true;
	if (json_is_object(v))
		text = json_dumps(v, JSON_COMPACT);
	json_decref(v);
	if (!text)
		return blotted(out);
	buf_clear(out);
	buf_adds(out, text);
	free(text);
	return buf_str(out);
}

static struct str hide_call(const struct event_plans *p, enum api_kind api, struct str text, struct buf b[2],
			    bool *changed)
{
	int turn = 0;

	for (const struct place *w = places; w->path; w++)
		if (w->api == api && w->cls == EV_TOOL)
			text = by_rules(p->rules, w->path, text, &b[turn ^= 1], changed);
	return p->pieces[api] ? without_pieces(text, &b[turn ^ 1], changed) : text;
}

static struct str hide_text(const struct event_plans *p, enum api_kind api, bool errors, const struct event *e,
			    struct buf b[2], bool *changed)
{
	switch (p->how[api][e->cls]) {
	case TREAT_JSON:
		return by_rules(p->rules, e->cls == EV_USAGE ? "usage" : NULL, e->text, b, changed);
	case TREAT_CALL:
		return hide_call(p, api, e->text, b, changed);
	case TREAT_ERROR:
		if (!errors)
			return by_rules(p->rules, NULL, e->text, b, changed);
		break;
	case TREAT_BLOT:
		break;
	default:
		return e->text;
	}
	*changed = true;
	return blotted(b);
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
	struct buf b[2];
	bool changed = false;
	struct event e;

	if ((int)api >= PLANS || plain_run(p, api, ev))
		return false;
	buf_init(&b[0], SIZE_MAX);
	buf_init(&b[1], SIZE_MAX);
	while (events_next(ev, &it, &e)) {
		if (e.text.n)
			e.text = hide_text(p, api, errors, &e, b, &changed);
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
	buf_release(&b[0]);
	buf_release(&b[1]);
	return changed;
}
