#include <config.h>

#include "replay/options_load.h"

#include <stdlib.h>
#include <string.h>

static const char *const timings[] = { "closed", "recorded", NULL };

size_t options_load_rows(struct options_load *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "max-concurrency", 'c', OPT_COUNTS, &o->levels, "C,...", "requests at once; several levels run one after another (default 1)", NULL },
		{ "num-prompts", 'n', OPT_COUNTS, &o->counts, "N,...", "requests per level (default: all of the trace)", NULL },
		{ "timing", 0, OPT_CHOICE, &o->timing, "HOW", "closed (default): when a slot is free; recorded: at the recorded times", timings },
		{ "speed", 0, OPT_NUMBER, &o->speed, "X", "recorded timing, X times as fast (default 1)", NULL },
	};

	*o = (struct options_load){ .speed = 0 };
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_load_check(struct options_load *o)
{
	if (o->speed != 0 && o->timing != TIMING_RECORDED)
		opt_usage("--speed needs --timing recorded");
	if (o->speed == 0)
		o->speed = 1;
	if (!(o->speed > 0))
		opt_usage("--speed: must be more than 0");
	for (size_t i = 0; i < o->levels.n; i++)
		if (o->levels.v[i] < 1 || o->levels.v[i] > 1000000)
			opt_usage("--max-concurrency: must be 1 to 1000000");
	for (size_t i = 0; i < o->counts.n; i++)
		if (o->counts.v[i] < 1 || o->counts.v[i] > 100000000)
			opt_usage("--num-prompts: must be 1 to 100000000");
	if (o->counts.n > 1 && o->counts.n != (o->levels.n ? o->levels.n : 1))
		opt_usage("--num-prompts: give one number, or one for each level of --max-concurrency");
}

void options_load_plan(const struct options_load *o, struct plan_opts *p)
{
	static const int64_t one = 1, no_cap = COUNT_NONE;

	p->timing = (enum timing)o->timing;
	p->speed = o->speed;
	p->levels = o->levels.v;
	p->n_levels = o->levels.n;
	p->counts = o->counts.v;
	p->n_counts = o->counts.n;
	if (p->n_levels == 0) {
		p->levels = o->timing == TIMING_CLOSED ? &one : &no_cap;
		p->n_levels = 1;
	}
}

void options_load_release(struct options_load *o)
{
	free(o->levels.v);
	free(o->counts.v);
}
