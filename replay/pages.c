#include <config.h>

#include "replay/pages.h"

#include <jansson.h>

#include "formats/base/clock.h"
#include "replay/chunk.h"
#include "replay/tokens.h"

static int maybe_count(struct buf *out, int64_t n)
{
	return n == COUNT_NONE ? buf_adds(out, "null") : buf_printf(out, "%lld", (long long)n);
}

int pages_models(struct buf *out, const char *model, int64_t max_model_len)
{
	int rc = buf_adds(out, "{\"object\":\"list\",\"data\":[{\"id\":") |
		 chunk_string(out, str_of(model));

	rc |= buf_adds(out, ",\"object\":\"model\",\"created\":0,\"owned_by\":\"tokserve\",\"root\":");
	rc |= chunk_string(out, str_of(model)) |
	      buf_adds(out, ",\"parent\":null,\"max_model_len\":");
	return rc | maybe_count(out, max_model_len) | buf_adds(out, "}]}");
}

int pages_version(struct buf *out)
{
	return buf_adds(out, "{\"version\":\"tokserve " PACKAGE_VERSION "\"}");
}

/* FNV-1a, folded into the ids of a vocabulary of usual size. */
static unsigned token_id(struct str t)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < t.n; i++)
		h = (h ^ (unsigned char)t.p[i]) * 16777619u;
	return h % 131072;
}

static int add_tokens(struct buf *ids, struct str text, int64_t *count)
{
	int rc = 0;

	while (text.n) {
		size_t n = tokens_next(text);

		rc |= buf_printf(ids, "%s%u", *count ? "," : "",
				 token_id((struct str){ text.p, n }));
		(*count)++;
		text = (struct str){ text.p + n, text.n - n };
	}
	return rc;
}

static int add_string(struct buf *ids, const json_t *s, int64_t *count)
{
	return add_tokens(ids, (struct str){ json_string_value(s), json_string_length(s) }, count);
}

static int add_content(struct buf *ids, const json_t *content, int64_t *count)
{
	size_t i;
	json_t *part;
	int rc = 0;

	if (json_is_string(content))
		return add_string(ids, content, count);
	json_array_foreach(content, i, part) {
		if (json_is_string(json_object_get(part, "text")))
			rc |= add_string(ids, json_object_get(part, "text"), count);
	}
	return rc;
}

static int tokenize(struct buf *ids, const json_t *o, int64_t *count, struct err *e)
{
	const json_t *prompt = json_object_get(o, "prompt");
	const json_t *messages = json_object_get(o, "messages");
	size_t i;
	json_t *m;
	int rc = 0;

	if (json_is_string(prompt)) {
		rc = add_string(ids, prompt, count);
	} else if (json_is_array(messages)) {
		json_array_foreach(messages, i, m)
			rc |= add_content(ids, json_object_get(m, "content"), count);
	} else {
		return err_set(e, "give a \"prompt\" (a string) or \"messages\" (an array)");
	}
	return rc < 0 ? err_set(e, "too many tokens for one answer") : 0;
}

int pages_tokenize(struct buf *out, struct str body, int64_t max_model_len, struct err *e)
{
	json_error_t je;
	json_t *o = json_loadb(body.p ? body.p : "", body.n, JSON_ALLOW_NUL, &je);
	int64_t count = 0;
	struct buf ids;
	int rc;

	if (!o)
		return err_set(e, "JSON decode error at byte %d: %s", je.position, je.text);
	buf_init(&ids, out->max);
	rc = tokenize(&ids, o, &count, e);
	json_decref(o);
	if (rc == 0) {
		rc = buf_printf(out, "{\"count\":%lld,\"max_model_len\":", (long long)count);
		rc |= maybe_count(out, max_model_len) | buf_adds(out, ",\"tokens\":[");
		rc |= ids.n ? buf_add(out, ids.p, ids.n) : 0;
		rc |= buf_adds(out, "],\"token_strs\":null}");
		if (rc < 0)
			err_set(e, "too many tokens for one answer");
	}
	buf_release(&ids);
	return rc;
}

int pages_error(struct buf *out, int status, const char *type, const char *message)
{
	int rc = buf_adds(out, "{\"error\":{\"message\":") | chunk_string(out, str_of(message));

	rc |= buf_adds(out, ",\"type\":") | chunk_string(out, str_of(type));
	return rc | buf_printf(out, ",\"param\":null,\"code\":%d}}", status);
}

int pages_metric(struct buf *out, const char *name, const char *kind, const char *help,
		 const char *labels, double value)
{
	return buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s{%s} %.17g\n", name, help, name, kind,
			  name, labels, value);
}
