#include <config.h>

#include "replay/options_rounds.h"

#include <stdlib.h>
#include <string.h>

/* In the order of enum cache_mode. */
static const char *const caches[] = { "as-recorded", "cold", "warm", NULL };

size_t options_rounds_rows(struct options_rounds *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "scenario", 0, OPT_STR, &o->scenario_text, "IN:OUT,...", "prompts of IN tokens answered with OUT, as 1k:128,8k:256, instead of a trace", NULL },
		{ "rounds", 0, OPT_COUNT, &o->rounds, "N", "rounds of each level and scenario (default 1)", NULL },
		{ "cool-down", 0, OPT_NS, &o->cool_down_ns, "TIME", "rest after a round has drained, before what comes next (default 0)", NULL },
		{ "cache", 0, OPT_CHOICE, &o->cache, "HOW", "as-recorded (default): share what the source shares; cold: nothing; warm: all was sent before", caches },
	};

	*o = (struct options_rounds){ .rounds = 1 };
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_rounds_check(struct options_rounds *o)
{
	struct err e;

	if (o->rounds < 1 || o->rounds > 10000)
		opt_usage("--rounds: must be 1 to 10000");
	if (o->scenario_text &&
	    scenario_parse(o->scenario_text, &o->scenarios, &o->n_scenarios, &e) < 0)
		opt_usage("--scenario: %s", e.msg);
}

void options_rounds_plan(const struct options_rounds *o, struct plan_opts *p)
{
	p->rounds = o->rounds;
	p->cool_down_ns = o->cool_down_ns;
	p->cache = (enum cache_mode)o->cache;
	p->scenarios = o->scenarios;
	p->n_scenarios = o->n_scenarios;
}

void options_rounds_release(struct options_rounds *o)
{
	free(o->scenarios);
	o->scenarios = NULL;
}
