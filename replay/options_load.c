#include <config.h>

#include "replay/options_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/unit.h"
#include "replay/start.h"

static const char *const timings[] = { "closed", "recorded", NULL };
static const char *const patterns[] = { "constant", "poisson", "gamma", NULL };
static const char *const shapes[] = { "linear", "exponential", NULL };

size_t options_load_rows(struct options_load *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "max-concurrency", 'c', OPT_COUNTS, &o->levels, "C,...", "requests at once; several levels run one after another (default 1; no cap in an open loop)", NULL },
		{ "concurrency", 0, OPT_COUNTS, &o->levels, "C,...", "the same as --max-concurrency", NULL },
		{ "num-prompts", 'n', OPT_COUNTS, &o->counts, "N,...", "requests per level (default: all of the trace)", NULL },
		{ "duration", 0, OPT_NS, &o->duration_ns, "TIME", "time per level after which nothing is sent, if -n does not end it before", NULL },
		{ "grace", 0, OPT_NS, &o->grace_ns, "TIME", "what is in flight after the duration may end within it (default 30s)", NULL },
		{ "timing", 0, OPT_CHOICE, &o->timing, "HOW", "closed (default): when a slot is free; recorded: at the recorded times", timings },
		{ "speed", 0, OPT_NUMBER, &o->speed, "X", "recorded timing, X times as fast (default 1)", NULL },
		{ "max-gap", 0, OPT_NS, &o->max_gap_ns, "TIME", "recorded timing, longer gaps between arrivals shortened to it", NULL },
		{ "from", 0, OPT_NS, &o->from_ns, "TIME", "only requests that arrived so long after the first, or later", NULL },
		{ "to", 0, OPT_NS, &o->to_ns, "TIME", "only requests that arrived before that", NULL },
		{ "request-rate", 0, OPT_STR, &o->rates, "R,...", "open loop: requests per second, or inf: all at once; several levels", NULL },
		{ "burstiness", 0, OPT_STR, &o->burstiness, "B", "shape of gamma gaps: 1 poisson (default), less is burstier, inf constant", NULL },
		{ "arrival-pattern", 0, OPT_CHOICE, &o->pattern, "HOW", "constant, poisson (default), gamma: arrivals at a rate", patterns },
		{ "ramp-up-strategy", 0, OPT_CHOICE, &o->ramp_shape, "HOW", "linear, exponential: from one rate to another, over --duration or -n", shapes },
		{ "ramp-up-start-rps", 0, OPT_NUMBER, &o->ramp_start_hz, "R", "the first rate", NULL },
		{ "ramp-up-end-rps", 0, OPT_NUMBER, &o->ramp_end_hz, "R", "the last rate", NULL },
		{ "concurrency-ramp-duration", 0, OPT_NS, &o->cap_ramp_ns, "TIME", "from 1 to C requests at once over this time, linearly", NULL },
		{ "stages", 0, OPT_STR, &o->stages, "FILE", "a load that changes: lines like '30s rate 1..20', '60s concurrency 8'", NULL },
		{ "lanes", 0, OPT_FLAG, &o->lanes, NULL, "closed loop: request i is sent by slot i mod C", NULL },
		{ "think-time", 0, OPT_STR, &o->think, "HOW", "from a turn's end to the next: a time, or recorded (default 0)", NULL },
		{ "live-history", 0, OPT_FLAG, &o->live_history, NULL, "a turn is sent with this run's answers instead of the recorded ones", NULL },
		{ "shard", 0, OPT_STR, &o->shard_text, "I/N", "send part I (from 0) of N of the plan; auto: as Slurm or a Kubernetes job says", NULL },
		{ "start-at", 0, OPT_STR, &o->start_at, "TIME", "when the first round begins: RFC 3339, Unix seconds, or +5s", NULL },
	};

	*o = (struct options_load){
		.timing = OPTION_UNSAID, .pattern = OPTION_UNSAID, .ramp_shape = OPTION_UNSAID,
		.speed = NAN, .ramp_start_hz = NAN, .ramp_end_hz = NAN, .cap_ramp_ns = NS_NONE,
		.duration_ns = NS_NONE, .grace_ns = 30 * NS_PER_S, .max_gap_ns = NS_NONE,
		.from_ns = NS_NONE, .to_ns = NS_NONE, .shard = { 0, 1 }, .start_wall_ns = NS_NONE,
	};
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

static void check_recorded(struct options_load *o)
{
	if (!isnan(o->speed) && o->timing != TIMING_RECORDED)
		opt_usage("--speed needs --timing recorded");
	if (o->max_gap_ns != NS_NONE && o->timing != TIMING_RECORDED)
		opt_usage("--max-gap needs --timing recorded");
	if (isnan(o->speed))
		o->speed = 1;
	if (!(o->speed > 0))
		opt_usage("--speed: must be more than 0");
	if (o->from_ns != NS_NONE && o->to_ns != NS_NONE && o->from_ns >= o->to_ns)
		opt_usage("--from must be before --to");
}

static void check_counts(const struct options_load *o)
{
	for (size_t i = 0; i < o->levels.n; i++)
		if (o->levels.v[i] < 1 || o->levels.v[i] > 1000000)
			opt_usage("--max-concurrency: must be 1 to 1000000");
	for (size_t i = 0; i < o->counts.n; i++)
		if (o->counts.v[i] < 1 || o->counts.v[i] > 100000000)
			opt_usage("--num-prompts: must be 1 to 100000000");
	if (o->duration_ns == 0)
		opt_usage("--duration: must be more than 0");
	if (o->duration_ns > LOAD_LONGEST_NS || o->grace_ns > LOAD_LONGEST_NS ||
	    o->think_ns > LOAD_LONGEST_NS || o->cap_ramp_ns > LOAD_LONGEST_NS)
		opt_usage("--duration, --grace, --think-time, --concurrency-ramp-duration: ten years at most");
}

static void check_sessions(struct options_load *o)
{
	if (!o->think)
		return;
	o->think_recorded = strcmp(o->think, "recorded") == 0;
	if (!o->think_recorded && unit_parse_ns(o->think, &o->think_ns) < 0)
		opt_usage("--think-time: '%s' is neither 'recorded' nor a time like '2s'", o->think);
}

static void check_parts(struct options_load *o)
{
	struct err e;

	if (o->shard_text && shard_parse(o->shard_text, &o->shard, &e) < 0)
		opt_usage("--shard: %s", e.msg);
	if (o->start_at && start_parse(o->start_at, clock_wall_ns(), &o->start_wall_ns, &e) < 0)
		opt_usage("--start-at: %s", e.msg);
}

/* In a closed loop parts without a slot have no request either; here they would. */
static void check_slots(const struct options_load *o)
{
	for (size_t i = 0; i < o->n_loads; i++) {
		const struct load *l = &o->loads[i];

		if (l->timing != TIMING_CLOSED && l->concurrency != COUNT_NONE &&
		    l->concurrency < o->shard.count)
			opt_usage("--max-concurrency: %d slots are too few for %d parts of an open loop",
				  (int)l->concurrency, (int)o->shard.count);
	}
}

void options_load_check(struct options_load *o)
{
	check_recorded(o);
	check_sessions(o);
	check_counts(o);
	check_parts(o);
	options_load_shape(o);
	check_slots(o);
	if (o->counts.n > 1 && o->counts.n != o->n_loads)
		opt_usage("--num-prompts: give one number, or one for each level");
}

void options_load_plan(const struct options_load *o, struct plan_opts *p)
{
	p->loads = o->loads;
	p->n_levels = o->n_loads;
	p->counts = o->counts.v;
	p->n_counts = o->counts.n;
	p->recorded = (struct recorded_opts){ o->speed, o->max_gap_ns, o->from_ns, o->to_ns };
	p->lanes = o->lanes;
	p->think_recorded = o->think_recorded;
	p->think_ns = o->think_ns;
	p->live_history = o->live_history;
	p->shard = o->shard;
}

void options_load_release(struct options_load *o)
{
	free(o->levels.v);
	free(o->counts.v);
	free(o->loads);
}
