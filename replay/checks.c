#include <config.h>

#include "replay/checks.h"

#include <inttypes.h>
#include <stdio.h>

/* A chat template's first words are alike in all prompts, and are no contamination. */
enum { CACHED_ALLOWED = 64 };

static bool is_exact(const struct plan *p, const struct plan_entry *en)
{
	const struct source_item *it = &p->source->items[en->item];
	const struct fit *fit = en->facts.api == API_COMPLETIONS ? p->opts.req.fit_completions :
		p->opts.req.fit_chat;

	return it->synthetic && it->input_tokens != COUNT_NONE && fit;
}

/* Nothing of its prompt was sent before. */
static bool is_new(const struct plan *p, const struct plan_entry *en)
{
	if (p->phases[en->phase].kind != PHASE_ROUND)
		return false;
	return p->opts.cache == CACHE_COLD ||
		(p->opts.cache == CACHE_AS_RECORDED && p->opts.n_scenarios > 0);
}

static bool is_cached(const struct usage *u)
{
	if (u->cached == COUNT_NONE || u->prompt == COUNT_NONE)
		return false;
	return u->cached > CACHED_ALLOWED || 2 * u->cached > u->prompt;
}

void checks_add(struct checks *c, const struct plan *p, size_t i, const struct rec_response *last)
{
	const struct plan_entry *en = &p->e[i];
	const struct usage *u = &last->usage;
	int64_t asked = p->source->items[en->item].input_tokens;

	if (last->status != ST_OK)
		return;
	if (is_exact(p, en) && u->prompt != COUNT_NONE && u->prompt != asked) {
		if (c->prompts_off++ == 0) {
			c->asked = asked;
			c->got = u->prompt;
		}
	}
	if (p->opts.req.ignore_eos && en->facts.max_tokens != COUNT_NONE &&
	    u->completion != COUNT_NONE && en->facts.choices >= 1 &&
	    u->completion != en->facts.max_tokens * en->facts.choices)
		c->outputs_off++;
	c->cached += is_new(p, en) && is_cached(u);
}

const char *checks_mark(const struct checks *c)
{
	if (c->prompts_off)
		return "prompt lengths off";
	if (c->outputs_off)
		return "output lengths off";
	return c->cached ? "contaminated" : NULL;
}

void checks_text(const struct checks *c, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	if (c->prompts_off)
		at += (size_t)snprintf(out, size, "%zu prompts have not the asked length (the first: "
				       "%" PRId64 " tokens for %" PRId64 "); ", c->prompts_off, c->got,
				       c->asked);
	if (c->outputs_off && at < size)
		at += (size_t)snprintf(out + at, size - at, "%zu answers have not the forced length; ",
				       c->outputs_off);
	if (c->cached && at < size)
		at += (size_t)snprintf(out + at, size - at, "%zu prompts that should be new came out of the "
				       "engine's prefix cache; ", c->cached);
	if (at >= 2 && at < size)
		out[at - 2] = '\0';
}
