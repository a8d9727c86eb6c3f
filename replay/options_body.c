#include <config.h>

#include "replay/options_body.h"

#include <string.h>

#include "replay/launch.h"

enum { ENDPOINT_AS_RECORDED, ENDPOINT_CHAT, ENDPOINT_COMPLETIONS };

/* In the order of enum engine_kind, from its second. */
static const char *const engines[] = { "vllm", "sglang", "llamacpp", "openai", NULL };
/* In the order of enum tokenize_how. */
static const char *const exacts[] = { "auto", "tokenize", "probe", "off", NULL };
static const char *const endpoints[] = { "as-recorded", "chat", "completions", NULL };

size_t options_body_rows(struct options_body *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "model", 0, OPT_STR, &o->model, "NAME", "model to ask for (default: as recorded, else the engine's first)", NULL },
		{ "num-warmups", 0, OPT_COUNT, &o->warmups, "N", "requests before each level that are not measured (default 0)", NULL },
		{ "max-tokens", 0, OPT_COUNT, &o->max_tokens, "N", "output limit of every request", NULL },
		{ "ignore-eos", 0, OPT_FLAG, &o->ignore_eos, NULL, "ask the engine to go on to the limit", NULL },
		{ "engine", 0, OPT_CHOICE, &o->engine, "KIND", "vllm, sglang, llamacpp, openai: whose words force output lengths (default: as it says)", engines },
		{ "exact-prompts", 0, OPT_CHOICE, &o->exact, "HOW", "auto, tokenize, probe, off: synthetic prompts of exactly the asked tokens (default auto for --scenario, else off)", exacts },
		{ "stream", 0, OPT_FLAG, &o->stream, NULL, "make recorded requests stream, with usage", NULL },
		{ "endpoint", 0, OPT_CHOICE, &o->endpoint, "KIND", "as-recorded (default), chat, completions: for synthetic prompts", endpoints },
		{ "extra-body", 0, OPT_STR, &o->extra_body, "JSON", "object whose members go into every body", NULL },
		{ "seed", 0, OPT_COUNT, &o->seed, "N", "seed of all that is made up: synthetic prompts, arrivals (default 0)", NULL },
	};

	*o = (struct options_body){ .max_tokens = COUNT_NONE, .engine = OPTION_UNSAID, .exact = OPTION_UNSAID };
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_body_check(struct options_body *o)
{
	struct err e;

	if (o->warmups > 1000000)
		opt_usage("--num-warmups: must be at most 1000000");
	o->exact_said = o->exact != OPTION_UNSAID;
	if (o->max_tokens == 0)
		opt_usage("--max-tokens: must be at least 1");
	if (o->extra_body && !(o->extra = launch_object(o->extra_body, &e)))
		opt_usage("--extra-body: %s", e.msg);
}

void options_body_plan(const struct options_body *o, const char *default_model,
		       struct plan_opts *p)
{
	p->warmups = o->warmups;
	p->req = (struct request_opts){
		.model = o->model, .model_default = *default_model ? default_model : NULL,
		.max_tokens = o->max_tokens, .ignore_eos = o->ignore_eos,
		.stream = o->stream, .extra = o->extra, .seed = (uint64_t)o->seed,
		.endpoint = o->endpoint == ENDPOINT_CHAT ? API_CHAT :
			o->endpoint == ENDPOINT_COMPLETIONS ? API_COMPLETIONS : API_NONE,
	};
}

void options_body_release(struct options_body *o)
{
	json_decref(o->extra);
	o->extra = NULL;
}
