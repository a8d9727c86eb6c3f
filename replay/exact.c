#include <config.h>

#include "replay/exact.h"

#include <inttypes.h>

#include "replay/tokenize.h"

static int64_t count(void *arg, struct str text, struct err *e)
{
	return tokenize_count(arg, text, e);
}

/* The longest prompt that is made up, by what it is sent to; 0: none. */
static int64_t longest(const struct source *s, const struct plan_opts *po, enum api_kind api)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct source_item *it = &s->items[i];
		struct request_ask ask = { .req = &it->x->req, .synthetic = true };

		if (!it->synthetic && po->warmups == 0)
			continue;
		if (api_of_path(request_endpoint(&po->req, &ask)) == api && it->input_tokens > most)
			most = it->input_tokens;
	}
	return most;
}

/* One word for each of several lengths up to the longest: do lengths add up? */
static int check(const struct fit *f, struct tokenize *tk, int64_t most, struct err *e)
{
	for (int64_t n = most; n > 0; n /= 8)
		if (fit_check(f, count, tk, n, e) < 0)
			return -1;
	return 0;
}

static struct fit *learn(struct tokenize *tk, const struct options *o, int64_t most, struct err *e)
{
	struct fit *f;

	if (tokenize_find(tk, (enum tokenize_how)o->body.exact, e) < 0)
		return NULL;
	f = fit_create(count, tk, (uint64_t)o->body.seed, e);
	if (f && check(f, tk, most, e) < 0) {
		fit_free(f);
		f = NULL;
	}
	if (f && !o->quiet)
		warn("exact prompts: by %s, %" PRId64 " questions; the shortest prompt has %" PRId64
		     " tokens", tk->probes ? "answers of one token" : "/tokenize", tk->asked,
		     fit_least(f));
	return f;
}

static int learn_prompts(const struct options *o, struct talk *k, const struct source *s,
			 const struct plan_opts *po, struct exact *x, struct err *e)
{
	static const enum api_kind kinds[] = { API_CHAT, API_COMPLETIONS };
	struct fit **fits[] = { &x->fit_chat, &x->fit_completions };
	const char *model = po->req.model ? po->req.model : po->req.model_default;

	if (!model && s->items[0].x->req.model.n)
		model = s->items[0].x->req.model.p;
	for (int i = 0; i < 2; i++) {
		struct tokenize tk = { .talk = k, .model = model, .extra = po->req.extra, .api = kinds[i] };
		int64_t most = longest(s, po, kinds[i]);

		if (most == 0)
			continue;
		*fits[i] = learn(&tk, o, most, e);
		if (*fits[i])
			continue;
		if (o->body.exact_said)
			return err_wrap(e, "prompts cannot be made exact");
		warn("prompts cannot be made exact, and are near the asked lengths: %s", e->msg);
		e->msg[0] = '\0';
	}
	return 0;
}

int exact_learn(const struct options *o, const struct target *t, const struct probe *p,
		const struct source *s, const struct plan_opts *po, struct exact *x, struct err *e)
{
	bool prompts = options_wants_exact(o), detect = o->body.engine == OPTION_UNSAID &&
		(o->engine.probe || prompts);
	struct talk *k;
	int rc = 0;

	*x = (struct exact){ .engine = ENGINE_UNKNOWN };
	if (o->body.engine != OPTION_UNSAID)
		x->engine = (enum engine_kind)(o->body.engine + 1);
	if (!prompts && !detect)
		return 0;
	k = talk_open(t, e);
	if (!k)
		return -1;
	if (detect)
		rc = outputs_detect(k, p, &x->engine, e);
	if (rc == 0 && prompts)
		rc = learn_prompts(o, k, s, po, x, e);
	talk_close(k);
	return rc;
}

void exact_release(struct exact *x)
{
	fit_free(x->fit_chat);
	fit_free(x->fit_completions);
	*x = (struct exact){ .engine = ENGINE_UNKNOWN };
}

void exact_plan(const struct exact *x, struct plan_opts *po)
{
	po->req.engine = x->engine;
	po->req.fit_chat = x->fit_chat;
	po->req.fit_completions = x->fit_completions;
}
