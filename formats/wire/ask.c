#include <config.h>

#include <jansson.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"

static int64_t count_of(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) : COUNT_NONE;
}

/* Under which names the limit stands, the one that counts first; of an object "options" where the API has one. */
static const struct {
	enum api_kind kind;
	const char *options, *names[2];
	bool streams; /* unless told not to */
} dialects[] = {
	{ API_RESPONSES, NULL, { "max_output_tokens", NULL }, false },
	{ API_MESSAGES, NULL, { "max_tokens", NULL }, false },
	{ API_OLLAMA_CHAT, "options", { "num_predict", NULL }, true },
	{ API_OLLAMA_GENERATE, "options", { "num_predict", NULL }, true },
	{ API_NONE, NULL, { "max_completion_tokens", "max_tokens" }, false }, /* all others */
};

static void read_limits(enum api_kind k, const json_t *root, struct api_request *out)
{
	const json_t *stream = json_object_get(root, "stream"), *at;
	size_t i = 0;

	while (dialects[i].kind != API_NONE && dialects[i].kind != k)
		i++;
	at = dialects[i].options ? json_object_get(root, dialects[i].options) : root;
	for (int j = 0; j < 2 && out->max_tokens == COUNT_NONE && dialects[i].names[j]; j++)
		out->max_tokens = count_of(json_object_get(at, dialects[i].names[j]));
	out->stream = json_is_true(stream) || (dialects[i].streams && !json_is_false(stream));
}

int api_request_parse(enum api_kind k, struct str body, struct api_request *out, struct err *e)
{
	json_error_t why;
	json_t *root = json_loadb(body.p ? body.p : "", body.n, JSON_ALLOW_NUL, &why), *v;

	*out = (struct api_request){ .max_tokens = COUNT_NONE, .n = 1 };
	buf_init(&out->store, 1 << 20);
	if (!root)
		return err_set(e, "request body: line %d, column %d: %s", why.line, why.column, why.text);
	if (!json_is_object(root)) {
		json_decref(root);
		return err_set(e, "request body: a JSON object was expected");
	}
	v = json_object_get(root, "model");
	if (json_is_string(v) && buf_add(&out->store, json_string_value(v), json_string_length(v)) == 0)
		out->model = buf_str(&out->store);
	read_limits(k, root, out);
	v = json_object_get(root, "n");
	if (count_of(v) > 0)
		out->n = count_of(v);
	v = json_object_get(root, "stream_options");
	out->include_usage = json_is_true(json_object_get(v, "include_usage"));
	json_decref(root);
	return 0;
}

void api_request_release(struct api_request *r)
{
	buf_release(&r->store);
}
