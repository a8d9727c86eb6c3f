#include <config.h>

#include "replay/outputs.h"

#include <string.h>

const char *engine_kind_name(enum engine_kind k)
{
	static const char *const names[] = {
		[ENGINE_UNKNOWN] = "unknown", [ENGINE_VLLM] = "vllm", [ENGINE_SGLANG] = "sglang",
		[ENGINE_LLAMACPP] = "llamacpp", [ENGINE_OPENAI] = "openai",
	};

	return names[k];
}

enum engine_kind outputs_engine_of(const char *name)
{
	static const struct {
		const char *name;
		enum engine_kind kind;
	} known[] = {
		{ "vllm", ENGINE_VLLM }, { "sglang", ENGINE_SGLANG },
		{ "llamacpp", ENGINE_LLAMACPP }, { "llama.cpp", ENGINE_LLAMACPP },
		{ "openai", ENGINE_OPENAI }, { "system", ENGINE_OPENAI },
		/* It simulates vLLM, words included. */
		{ "tokserve", ENGINE_VLLM },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcasecmp(name, known[i].name) == 0)
			return known[i].kind;
	return ENGINE_UNKNOWN;
}

/* True if the engine answers the path with an object that has this member. */
static bool has(struct talk *k, const char *path, const char *member, struct talk_answer **a,
		struct err *e)
{
	static const struct str none;
	json_t *root;
	bool yes;

	if (talk_ask(k, str_of(path), none, a, e) < 0)
		return false;
	if (!(*a)->whole || (*a)->http_status != 200)
		return false;
	root = json_loadb((*a)->body.p ? (*a)->body.p : "", (*a)->body.n, 0, NULL);
	yes = json_object_get(root, member) != NULL;
	json_decref(root);
	return yes;
}

int outputs_detect(struct talk *k, const struct probe *p, enum engine_kind *out, struct err *e)
{
	struct talk_answer *a = NULL;

	*out = outputs_engine_of(p->engine);
	if (*out != ENGINE_UNKNOWN)
		return 0;
	e->msg[0] = '\0';
	if (has(k, "/props", "default_generation_settings", &a, e))
		*out = ENGINE_LLAMACPP;
	else if (a && outputs_engine_of(a->server) != ENGINE_UNKNOWN)
		*out = outputs_engine_of(a->server);
	else if (has(k, "/get_server_info", "model_path", &a, e))
		*out = ENGINE_SGLANG;
	return *e->msg ? -1 : 0;
}

void outputs_force(json_t *root, enum engine_kind k, int64_t limit)
{
	if (k == ENGINE_OPENAI)
		return;
	json_object_set_new(root, "ignore_eos", json_true());
	if (limit == COUNT_NONE)
		return;
	if (k == ENGINE_VLLM || k == ENGINE_SGLANG)
		json_object_set_new(root, "min_tokens", json_integer(limit));
	else if (k == ENGINE_LLAMACPP)
		json_object_set_new(root, "n_predict", json_integer(limit));
}

bool outputs_salt(json_t *root, enum engine_kind k, const char *salt)
{
	if (k == ENGINE_VLLM || k == ENGINE_SGLANG)
		json_object_set_new(root, "cache_salt", json_string(salt));
	else if (k == ENGINE_LLAMACPP)
		json_object_set_new(root, "cache_prompt", json_false());
	else
		return false;
	return true;
}
