#include <config.h>

#include "replay/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/spelling.h"

void request_facts_release(struct request_facts *f)
{
	free(f->model);
	f->model = NULL;
}

struct str request_endpoint(const struct request_opts *o, const struct request_ask *ask)
{
	if (ask->synthetic && o->endpoint != API_NONE)
		return str_of(spelling_of(o->endpoint)->path);
	if (ask->req->endpoint.n)
		return ask->req->endpoint;
	return str_of(spelling_of(api_of_name(ask->req->api))->path);
}

/* Replaces the member unless it already says that.  Takes over value. */
static void put(json_t *root, const char *key, json_t *value, bool *changed)
{
	json_t *old = json_object_get(root, key);

	if (old && json_equal(old, value)) {
		json_decref(value);
		return;
	}
	json_object_set_new(root, key, value);
	*changed = true;
}

static int64_t int_member(const json_t *root, const char *key, int64_t none)
{
	const json_t *j = json_object_get(root, key);

	return json_is_integer(j) ? json_integer_value(j) : none;
}

static void put_extra(json_t *root, json_t *extra, bool *changed)
{
	const char *key;
	json_t *value;

	json_object_foreach(extra, key, value)
		put(root, key, json_incref(value), changed);
}

static void force_length(const struct request_opts *o, const struct request_ask *ask,
			 const struct spelling *s, json_t *root, bool *changed)
{
	json_t *options = spelling_options(s, root, true);
	const char *limit = spelling_limit(s, root);
	json_t *before = json_copy(options);

	if (!ask->synthetic && o->max_tokens == COUNT_NONE && ask->output_tokens > 0)
		put(options, limit, json_integer(ask->output_tokens), changed);
	outputs_force(options, o->engine, int_member(options, limit, COUNT_NONE));
	*changed = *changed || !before || !json_equal(before, options);
	json_decref(before);
}

static void put_options(const struct request_opts *o, const struct request_ask *ask,
			enum api_kind api, json_t *root, bool *changed)
{
	const struct spelling *s = spelling_of(api);

	if (o->model)
		put(root, "model", json_string(o->model), changed);
	if (o->max_tokens != COUNT_NONE)
		put(spelling_options(s, root, true), spelling_limit(s, root), json_integer(o->max_tokens), changed);
	if (o->ignore_eos)
		force_length(o, ask, s, root, changed);
	if (o->stream)
		put(root, "stream", json_true(), changed);
	if (o->stream && s->usage)
		put(root, "stream_options", json_pack("{sb}", "include_usage", 1), changed);
	if (o->extra)
		put_extra(root, o->extra, changed);
}

static int synthetic_prompt(const struct request_opts *o, const struct prompt *p,
			    const struct request_ask *ask, enum api_kind api, struct buf *out)
{
	struct prompt_ask pa = {
		.tokens = ask->input_tokens > 0 ? ask->input_tokens : 1, .seed = o->seed,
		.copy = ask->copy, .request = ask->number,
		.block_tokens = ask->req->block_tokens,
		.blocks = ask->req->blocks, .n_blocks = ask->req->n_blocks,
		.pieces = ask->pieces, .n_pieces = ask->n_pieces,
	};
	const struct fit *fit = api == API_COMPLETIONS ? o->fit_completions :
		api == API_CHAT ? o->fit_chat : NULL;

	if (ask->unshared) {
		pa.n_blocks = pa.n_pieces = 0;
		pa.pieces = NULL;
	}
	return fit ? fit_make(fit, &pa, out) : prompt_make(p, &pa, out);
}

static json_t *synthetic(const struct request_opts *o, const struct prompt *p,
			 const struct request_ask *ask, enum api_kind api)
{
	json_t *root = json_object();
	struct str model = ask->req->model;
	struct buf text;
	bool changed = false, bad;

	if (o->model || (!model.n && o->model_default))
		model = str_of(o->model ? o->model : o->model_default);
	if (model.n)
		json_object_set_new(root, "model", json_stringn(model.p, model.n));
	buf_init(&text, REQUEST_BODY_MAX);
	bad = synthetic_prompt(o, p, ask, api, &text) < 0 ||
		spelling_fill(spelling_of(api), root, buf_str(&text), ask->output_tokens, o->seed) != 0;
	buf_release(&text);
	if (bad) {
		json_decref(root);
		return NULL;
	}
	put_options(o, ask, api, root, &changed);
	return root;
}

static int dump_piece(const char *p, size_t n, void *arg)
{
	return buf_add(arg, p, n);
}

static int dump(const json_t *root, struct buf *out, struct err *e)
{
	buf_clear(out);
	if (json_dump_callback(root, dump_piece, out, JSON_COMPACT) < 0)
		return err_set(e, "out of memory");
	return 0;
}

static int64_t expected(const struct request_opts *o, const struct request_ask *ask,
			int64_t limit)
{
	if (ask->synthetic || o->ignore_eos)
		return limit != COUNT_NONE ? limit : ask->output_tokens;
	if (limit != COUNT_NONE && ask->output_tokens > limit)
		return limit;
	return ask->output_tokens;
}

static void facts_of(const struct request_opts *o, const struct request_ask *ask,
		     enum api_kind api, json_t *root, struct request_facts *f)
{
	const char *model = json_string_value(json_object_get(root, "model"));
	const struct spelling *s = spelling_of(api);

	*f = (struct request_facts){ .api = api };
	f->model = model ? strdup(model) : NULL;
	/* Ollama streams unless told not to. */
	f->stream = json_is_true(json_object_get(root, "stream")) ||
		(s->options && !json_is_false(json_object_get(root, "stream")));
	f->choices = int_member(root, "n", 1);
	f->max_tokens = int_member(spelling_options(s, root, false), spelling_limit(s, root), COUNT_NONE);
	f->output_tokens = expected(o, ask, f->max_tokens);
}

static bool has_overrides(const struct request_opts *o)
{
	return o->model || o->max_tokens != COUNT_NONE || o->ignore_eos || o->stream || o->extra;
}

/* A recorded text stays as it is: only the engine can keep it apart. */
static int put_salt(const struct request_opts *o, const struct request_ask *ask, json_t *root,
		    bool *changed, struct err *e)
{
	char salt[48];

	snprintf(salt, sizeof(salt), "%016" PRIx64 "%016" PRIx64, o->seed, ask->salt);
	if (json_is_object(root) && outputs_salt(root, o->engine, salt)) {
		*changed = true;
		return 0;
	}
	return !ask->unshared ? 0 :
		err_set(e, "request %" PRId64 " has a recorded prompt, and this engine has no word "
			"against its prefix cache: --cache cold is for vllm, sglang and llamacpp (see "
			"--engine, --probe)", ask->req->id);
}

/* *root is set if the body is a JSON object; out holds the bytes to send. */
static int recorded(const struct request_opts *o, const struct request_ask *ask, enum api_kind api,
		    json_t **root, struct buf *out, struct err *e)
{
	json_error_t je;
	bool changed = false;

	*root = json_loadb(ask->req->body.p, ask->req->body.n, JSON_ALLOW_NUL, &je);
	if (!json_is_object(*root)) {
		json_decref(*root);
		*root = NULL;
		if (has_overrides(o))
			return err_set(e, "request %" PRId64 ": its body is no JSON object, so no "
				       "option can change it; replay it without --model, "
				       "--max-tokens, --ignore-eos, --stream and --extra-body",
				       ask->req->id);
	} else {
		put_options(o, ask, api, *root, &changed);
	}
	if (ask->salt && put_salt(o, ask, *root, &changed, e) < 0)
		return -1;
	if (changed)
		return dump(*root, out, e);
	buf_clear(out);
	return buf_add(out, ask->req->body.p, ask->req->body.n) < 0 ?
		err_set(e, "out of memory") : 0;
}

int request_build(const struct request_opts *o, const struct prompt *p,
		  const struct request_ask *ask, struct buf *out,
		  struct request_facts *facts, struct err *e)
{
	enum api_kind api = api_of_path(request_endpoint(o, ask));
	json_t *root = NULL;
	int rc;

	if (ask->synthetic) {
		root = synthetic(o, p, ask, api);
		rc = root ? dump(root, out, e) : err_set(e, "out of memory");
	} else {
		rc = recorded(o, ask, api, &root, out, e);
	}
	if (rc == 0 && facts)
		facts_of(o, ask, api, root, facts);
	json_decref(root);
	return rc;
}
