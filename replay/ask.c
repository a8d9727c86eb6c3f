#include <config.h>

#include "replay/ask.h"

#include <jansson.h>
#include <stdio.h>

#include "formats/base/clock.h"

static struct str text_of(const json_t *s)
{
	return (struct str){ json_string_value(s), json_string_length(s) };
}

static int add_ids(struct blockids *b, const json_t *ids)
{
	size_t i;
	json_t *id;

	json_array_foreach(ids, i, id) {
		if (!json_is_integer(id))
			return -1;
		blockids_token(b, json_integer_value(id));
	}
	return 0;
}

/* A string, an array of strings or of arrays of token ids (the first), or one of token ids. */
static int add_prompt(struct blockids *b, const json_t *prompt)
{
	const json_t *first = json_array_get(prompt, 0);

	if (json_is_string(prompt))
		first = prompt;
	if (json_is_string(first))
		blockids_text(b, text_of(first));
	else if (json_is_array(first))
		return add_ids(b, first);
	else if (json_is_integer(first))
		return add_ids(b, prompt);
	else
		return -1;
	return 0;
}

static void add_content(struct blockids *b, const json_t *content)
{
	size_t i;
	json_t *part;

	if (json_is_string(content))
		blockids_text(b, text_of(content));
	json_array_foreach(content, i, part) {
		const json_t *text = json_object_get(part, "text");

		if (json_is_string(text))
			blockids_text(b, text_of(text));
	}
}

static int add_messages(struct blockids *b, const json_t *messages)
{
	size_t i;
	json_t *m;

	if (!json_is_array(messages) || json_array_size(messages) == 0)
		return -1;
	json_array_foreach(messages, i, m) {
		const json_t *role = json_object_get(m, "role");

		if (!json_is_object(m))
			return -1;
		blockids_mark(b, json_is_string(role) ? text_of(role) : str_of(""));
		add_content(b, json_object_get(m, "content"));
	}
	return 0;
}

static int get_bool(const json_t *o, const char *key, bool *out, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	if (v && !json_is_null(v) && !json_is_boolean(v))
		return err_set(e, "%s must be true or false", key);
	*out = json_is_true(v);
	return 0;
}

/* Leaves *out where the key is absent or null. */
static int get_int(const json_t *o, const char *key, int64_t min, int64_t *out, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v))
		return 0;
	if (!json_is_integer(v))
		return err_set(e, "%s must be an integer", key);
	if (json_integer_value(v) < min)
		return err_set(e, "%s must be at least %lld, got %lld", key, (long long)min,
			       (long long)json_integer_value(v));
	*out = json_integer_value(v);
	return 0;
}

static int get_prompt(const json_t *o, enum api_kind api, struct ask *a, struct err *e)
{
	if (api == API_CHAT && add_messages(&a->prompt, json_object_get(o, "messages")) < 0)
		return err_set(e, "messages must be a non-empty array of objects");
	if (api != API_CHAT && add_prompt(&a->prompt, json_object_get(o, "prompt")) < 0)
		return err_set(e, "prompt must be a string, an array of strings or of token ids");
	/* An engine always has a begin token or a template. */
	a->prompt_tokens = a->prompt.tokens ? a->prompt.tokens : 1;
	return 0;
}

static int get_limits(const json_t *o, struct ask *a, struct err *e)
{
	if (get_int(o, "max_tokens", 1, &a->max_tokens, e) < 0 ||
	    get_int(o, "max_completion_tokens", 1, &a->max_tokens, e) < 0 ||
	    get_int(o, "min_tokens", 0, &a->min_tokens, e) < 0 ||
	    get_int(o, "n", 1, &a->n, e) < 0)
		return -1;
	if (a->n > ASK_CHOICES_MAX)
		return err_set(e, "n must be at most %d, got %lld", ASK_CHOICES_MAX,
			       (long long)a->n);
	if (a->max_tokens != COUNT_NONE && a->min_tokens > a->max_tokens)
		return err_set(e, "min_tokens must be less than or equal to max_tokens=%lld, got %lld.",
			       (long long)a->max_tokens, (long long)a->min_tokens);
	return 0;
}

static int read_object(const json_t *o, enum api_kind api, struct ask *a, struct err *e)
{
	const json_t *so = json_object_get(o, "stream_options");
	const char *model = json_string_value(json_object_get(o, "model"));

	snprintf(a->model, sizeof(a->model), "%s", model ? model : "");
	if (get_bool(o, "stream", &a->stream, e) < 0 ||
	    get_bool(o, "ignore_eos", &a->ignore_eos, e) < 0 ||
	    get_bool(so, "include_usage", &a->include_usage, e) < 0 ||
	    get_bool(so, "continuous_usage_stats", &a->continuous_usage, e) < 0)
		return -1;
	if (so && !json_is_null(so) && !a->stream)
		return err_set(e, "Stream options can only be defined when `stream=True`.");
	/* As vLLM: usage in every chunk only together with usage at the end. */
	a->continuous_usage = a->continuous_usage && a->include_usage;
	if (get_limits(o, a, e) < 0)
		return -1;
	return get_prompt(o, api, a, e);
}

int ask_parse(struct str body, enum api_kind api, int64_t block_tokens, struct ask *out,
	      struct err *e)
{
	json_error_t je;
	json_t *o = json_loadb(body.p ? body.p : "", body.n, JSON_ALLOW_NUL, &je);
	int rc;

	*out = (struct ask){ .max_tokens = COUNT_NONE, .n = 1 };
	blockids_init(&out->prompt, block_tokens);
	if (!o)
		return err_set(e, "JSON decode error at byte %d: %s", je.position, je.text);
	if (json_is_object(o))
		rc = read_object(o, api, out, e);
	else
		rc = err_set(e, "the request body must be a JSON object");
	json_decref(o);
	return rc;
}

void ask_release(struct ask *a)
{
	blockids_release(&a->prompt);
}
