#include <config.h>

#include <jansson.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"

static int64_t count_of(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) : COUNT_NONE;
}

int api_request_parse(struct str body, struct api_request *out, struct err *e)
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
	out->stream = json_is_true(json_object_get(root, "stream"));
	out->max_tokens = count_of(json_object_get(root, "max_completion_tokens"));
	if (out->max_tokens == COUNT_NONE)
		out->max_tokens = count_of(json_object_get(root, "max_tokens"));
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
