#include <config.h>

#include "replay/tokenize.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *messages_of(struct str text)
{
	return json_pack("[{ss,ss%}]", "role", "user", "content", text.p, text.n);
}

/* Puts what the engine answers to the object into *out; takes over root. */
static int post(struct tokenize *t, const char *path, json_t *root, struct talk_answer **out,
		struct err *e)
{
	char *body;
	int rc;

	if (root && t->model)
		json_object_set_new(root, "model", json_string(t->model));
	body = root ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (!body)
		return err_set(e, "out of memory");
	t->asked++;
	rc = talk_ask(t->talk, str_of(path), str_of(body), out, e);
	free(body);
	return rc;
}

int64_t tokenize_read(struct str json)
{
	json_t *root = json_loadb(json.p ? json.p : "", json.n, 0, NULL);
	const json_t *count = json_object_get(root, "count");
	const json_t *tokens = json_object_get(root, "tokens");
	int64_t n = COUNT_NONE;

	if (json_is_integer(count))
		n = json_integer_value(count);
	else if (json_is_array(tokens))
		n = (int64_t)json_array_size(tokens);
	json_decref(root);
	return n >= 0 ? n : COUNT_NONE;
}

static int64_t read_usage(struct str json)
{
	json_t *root = json_loadb(json.p ? json.p : "", json.n, 0, NULL);
	const json_t *n = json_object_get(json_object_get(root, "usage"), "prompt_tokens");
	int64_t v = json_is_integer(n) ? json_integer_value(n) : COUNT_NONE;

	json_decref(root);
	return v > 0 ? v : COUNT_NONE;
}

static int64_t no_count(const char *what, const struct talk_answer *a, struct err *e)
{
	if (a->http_status == COUNT_NONE)
		err_set(e, "%s: no answer from the engine", what);
	else
		err_set(e, "%s: HTTP %" PRId64 " without a count of tokens", what, a->http_status);
	return -1;
}

static int64_t probe(struct tokenize *t, struct str text, struct err *e)
{
	bool chat = t->api == API_CHAT;
	const char *path = chat ? "/v1/chat/completions" : "/v1/completions";
	json_t *root = json_pack("{si,sb,si}", "max_tokens", 1, "stream", 0, "temperature", 0);
	struct talk_answer *a;
	int64_t n;

	json_object_set_new(root, chat ? "messages" : "prompt",
			    chat ? messages_of(text) : json_stringn(text.p, text.n));
	if (t->extra)
		json_object_update(root, t->extra);
	json_object_set_new(root, "max_tokens", json_integer(1));
	if (post(t, path, root, &a, e) < 0)
		return -1;
	n = a->whole && a->http_status == 200 ? read_usage(buf_str(&a->body)) : COUNT_NONE;
	return n == COUNT_NONE ? no_count(path, a, e) : n;
}

/* vLLM and SGLang call the text "prompt", llama.cpp "content"; each skips the other. */
static int64_t endpoint(struct tokenize *t, struct str text, struct err *e)
{
	json_t *root = json_object();
	struct talk_answer *a;
	int64_t n;

	if (t->messages) {
		json_object_set_new(root, "messages", messages_of(text));
	} else {
		json_object_set_new(root, "prompt", json_stringn(text.p, text.n));
		json_object_set_new(root, "content", json_stringn(text.p, text.n));
	}
	if (post(t, "/tokenize", root, &a, e) < 0)
		return -1;
	n = a->whole && a->http_status == 200 ? tokenize_read(buf_str(&a->body)) : COUNT_NONE;
	return n == COUNT_NONE ? no_count("/tokenize", a, e) : n;
}

/* The template must add as much to one text as to another. */
static int trust_endpoint(struct tokenize *t, struct err *e)
{
	static const char *const texts[] = {
		"water",
		"The pump feeds two loops, one for each row of racks. Each loop has a valve.",
	};
	int64_t more[2];

	for (int i = 0; i < 2; i++) {
		int64_t counted = endpoint(t, str_of(texts[i]), e), used;

		if (counted < 0 || (used = probe(t, str_of(texts[i]), e)) < 0)
			return -1;
		more[i] = used - counted;
	}
	if (more[0] != more[1])
		return err_set(e, "/tokenize and usage.prompt_tokens do not agree");
	t->overhead = more[0];
	return 0;
}

int tokenize_find(struct tokenize *t, enum tokenize_how how, struct err *e)
{
	struct err refused;

	t->probes = false;
	t->overhead = 0;
	for (int form = t->api == API_CHAT ? 1 : 0; form >= 0 && how != TOKENIZE_PROBE; form--) {
		t->messages = form;
		if (trust_endpoint(t, &refused) == 0)
			return 0;
	}
	if (how == TOKENIZE_ENDPOINT)
		return err_set(e, "%s", refused.msg);
	t->probes = true;
	return probe(t, str_of("water"), e) < 0 ? -1 : 0;
}

int64_t tokenize_count(struct tokenize *t, struct str text, struct err *e)
{
	int64_t n;

	if (t->probes)
		return probe(t, text, e);
	n = endpoint(t, text, e);
	return n < 0 ? -1 : n + t->overhead;
}
