#include <config.h>

#include "formats/wire/whole.h"

#include <jansson.h>
#include <stdlib.h>

static const struct {
	const char *key;
	enum event_class cls;
} message_keys[] = {
	{ "role", EV_ROLE }, { "reasoning", EV_REASONING }, { "reasoning_content", EV_REASONING },
	{ "content", EV_CONTENT }, { "refusal", EV_REFUSAL }, { NULL, EV_OTHER },
};

struct sink {
	whole_fn fn;
	void *arg;
};

static void text_event(const struct sink *k, const json_t *v, enum event_class cls, int32_t choice)
{
	if (json_is_string(v) && json_string_length(v))
		k->fn(k->arg, cls, choice, (struct str){ json_string_value(v), json_string_length(v) });
}

static void raw_event(const struct sink *k, const json_t *v, enum event_class cls, int32_t choice)
{
	char *raw = json_dumps(v, JSON_COMPACT);

	if (raw)
		k->fn(k->arg, cls, choice, str_of(raw));
	free(raw);
}

static void choice_events(const struct sink *k, const json_t *c, int32_t choice)
{
	const json_t *message = json_object_get(c, "message"), *calls, *call;
	size_t i;

	for (i = 0; message_keys[i].key; i++)
		text_event(k, json_object_get(message, message_keys[i].key), message_keys[i].cls, choice);
	text_event(k, json_object_get(c, "text"), EV_CONTENT, choice);
	calls = json_object_get(message, "tool_calls");
	json_array_foreach(calls, i, call)
		raw_event(k, call, EV_TOOL, choice);
	text_event(k, json_object_get(c, "finish_reason"), EV_FINISH, choice);
}

void whole_events(struct str body, whole_fn fn, void *arg)
{
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	const json_t *c, *usage = json_object_get(root, "usage");
	struct sink k = { fn, arg };
	size_t i;

	json_array_foreach(json_object_get(root, "choices"), i, c) {
		const json_t *index = json_object_get(c, "index");

		choice_events(&k, c, (int32_t)(json_is_integer(index) ? json_integer_value(index) : (json_int_t)i));
	}
	if (json_is_object(usage))
		raw_event(&k, usage, EV_USAGE, 0);
	json_decref(root);
}
