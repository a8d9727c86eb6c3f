#include <config.h>

#include <jansson.h>

#include "formats/base/clock.h"
#include "formats/wire/api.h"
#include "formats/wire/scan.h"

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

static size_t dialect_of(enum api_kind k)
{
	size_t i = 0;

	while (dialects[i].kind != API_NONE && dialects[i].kind != k)
		i++;
	return i;
}

/* A whole number: no fraction, no exponent, not negative. */
static int64_t count_raw(struct str raw)
{
	int64_t v = 0;

	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] < '0' || raw.p[i] > '9' || i >= 18)
			return COUNT_NONE;
		v = v * 10 + (raw.p[i] - '0');
	}
	return raw.n ? v : COUNT_NONE;
}

/* The raw value of a member of an object, absent if it has none; the last one counts. */
static struct str member(struct str object, const char *name)
{
	struct scan s = scan_of(object);
	struct str key, value, found = { NULL, 0 };

	if (scan_peek(&s) != SCAN_OBJECT)
		return found;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		value = scan_raw(&s);
		if (str_is(key, name))
			found = value;
	}
	return found;
}

static void take_model(struct str raw, struct api_request *out)
{
	struct scan s = scan_of(raw);

	if (!raw.n || *raw.p != '"')
		return;
	scan_string(&s, &out->store);
	out->model = buf_str(&out->store);
}

/*
 * One pass without a tree: a body has megabytes where it has images, and while it is read no
 * stream moves.  False: no JSON object.
 */
static bool read_object(enum api_kind k, struct str body, struct api_request *out)
{
	struct str key, model = { NULL, 0 }, stream = model, n = model, usage = model, options = model, limits[2] = { model, model };
	struct scan s = scan_of(body);
	size_t d = dialect_of(k);
	bool nested = dialects[d].options != NULL;

	if (scan_peek(&s) != SCAN_OBJECT)
		return false;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		struct str value = scan_raw(&s);

		if (str_is(key, "model"))
			model = value;
		else if (str_is(key, "stream"))
			stream = value;
		else if (str_is(key, "n"))
			n = value;
		else if (str_is(key, "stream_options"))
			usage = value;
		else if (nested && str_is(key, dialects[d].options))
			options = value;
		for (int j = 0; j < 2 && !nested && dialects[d].names[j]; j++)
			if (str_is(key, dialects[d].names[j]))
				limits[j] = value;
	}
	if (!scan_at_end(&s))
		return false;
	if (nested)
		limits[0] = member(options, dialects[d].names[0]);
	take_model(model, out);
	out->stream = str_is(stream, "true") || (dialects[d].streams && !str_is(stream, "false"));
	out->max_tokens = count_raw(limits[0]);
	if (out->max_tokens == COUNT_NONE)
		out->max_tokens = count_raw(limits[1]);
	if (count_raw(n) > 0)
		out->n = count_raw(n);
	out->include_usage = str_is(member(usage, "include_usage"), "true");
	return true;
}

/* What is wrong, and where: a document parser says it best. */
static int explain(struct str body, struct err *e)
{
	json_error_t why;
	json_t *root = json_loadb(body.p ? body.p : "", body.n, JSON_ALLOW_NUL, &why);
	bool object = json_is_object(root);

	json_decref(root);
	if (!root)
		return err_set(e, "request body: line %d, column %d: %s", why.line, why.column, why.text);
	return err_set(e, object ? "request body: nested too deep" : "request body: a JSON object was expected");
}

int api_request_parse(enum api_kind k, struct str body, struct api_request *out, struct err *e)
{
	*out = (struct api_request){ .max_tokens = COUNT_NONE, .n = 1 };
	buf_init(&out->store, 1 << 20);
	return read_object(k, body, out) ? 0 : explain(body, e);
}

void api_request_release(struct api_request *r)
{
	buf_release(&r->store);
}
