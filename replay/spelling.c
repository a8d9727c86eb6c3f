#include <config.h>

#include "replay/spelling.h"

#include "formats/base/clock.h"

static const struct spelling all[] = {
	{ API_CHAT, "/v1/chat/completions", "messages", true, "max_tokens", NULL, true, true, COUNT_NONE },
	{ API_COMPLETIONS, "/v1/completions", "prompt", false, "max_tokens", NULL, true, true, COUNT_NONE },
	{ API_RESPONSES, "/v1/responses", "input", false, "max_output_tokens", NULL, false, false, COUNT_NONE },
	{ API_MESSAGES, "/v1/messages", "messages", true, "max_tokens", NULL, false, false, 4096 },
	{ API_OLLAMA_CHAT, "/api/chat", "messages", true, "num_predict", "options", true, false, COUNT_NONE },
	{ API_OLLAMA_GENERATE, "/api/generate", "prompt", false, "num_predict", "options", true, false, COUNT_NONE },
};

const struct spelling *spelling_of(enum api_kind api)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].api == api)
			return &all[i];
	return &all[0];
}

json_t *spelling_options(const struct spelling *s, json_t *body, bool make)
{
	if (!s->options)
		return body;
	if (make && !json_is_object(json_object_get(body, s->options)))
		json_object_set_new(body, s->options, json_object());
	return json_object_get(body, s->options);
}

const char *spelling_limit(const struct spelling *s, const json_t *body)
{
	return s->api == API_CHAT && json_object_get(body, "max_completion_tokens") ? "max_completion_tokens" : s->limit;
}

int spelling_fill(const struct spelling *s, json_t *body, struct str prompt, int64_t limit, uint64_t seed)
{
	json_t *text = json_stringn(prompt.p, prompt.n), *options;
	int bad;

	if (s->messages)
		text = json_pack("[{ssso}]", "role", "user", "content", text);
	bad = json_object_set_new(body, s->prompt, text);
	options = spelling_options(s, body, true);
	if (limit == COUNT_NONE)
		limit = s->limit_default;
	/* Engines refuse a limit of 0. */
	if (limit != COUNT_NONE)
		bad |= json_object_set_new(options, s->limit, json_integer(limit > 0 ? limit : 1));
	bad |= json_object_set_new(body, "stream", json_true());
	if (s->usage)
		bad |= json_object_set_new(body, "stream_options", json_pack("{sb}", "include_usage", 1));
	bad |= json_object_set_new(options, "temperature", json_integer(0));
	if (s->seed)
		bad |= json_object_set_new(options, "seed", json_integer((json_int_t)seed));
	return bad;
}
