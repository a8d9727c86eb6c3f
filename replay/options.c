#include <config.h>

#include "replay/options.h"

#include <string.h>

#include "replay/tokenize.h"

enum { ROWS_MAX = 128 };

static size_t run_rows(struct options *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "plan", 0, OPT_FLAG, &o->plan, NULL, "print the plan as JSON lines and send nothing", NULL },
		{ "no-text", 0, OPT_FLAG, &o->no_text, NULL, "keep lengths and digests instead of texts", NULL },
		{ "allow-truncated", 0, OPT_FLAG, &o->allow_cut, NULL, "replay what a cut trace still holds", NULL },
		{ "output", 'o', OPT_STR, &o->output, "RUN.tok", "the run's trace (default -: stdout)", NULL },
		{ "quiet", 'q', OPT_FLAG, &o->quiet, NULL, "only errors on stderr", NULL },
		{ "verbose", 'v', OPT_FLAG, &o->verbose, NULL, "a line on stderr per request", NULL },
	};

	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

static void set_source(struct options *o, const char *operand)
{
	if (o->rounds.n_scenarios && operand)
		opt_usage("--scenario stands instead of a trace: give one of them");
	if (!o->rounds.n_scenarios && !operand)
		opt_usage("a trace is missing (or --scenario, as '1k:128,8k:256')");
	o->source = operand ? operand : o->rounds.scenario_text;
}

/* What one group of options cannot see alone. */
static void check_together(struct options *o)
{
	const struct options_load *l = &o->load;

	if (o->rounds.rounds > 1 && l->stages)
		opt_usage("--rounds: --stages is one sequence, so it is one round");
	if (!o->rounds.n_scenarios)
		return;
	/* It names no model: the engine must. */
	o->engine.probe = o->engine.base_url != NULL;
	if (l->timing == TIMING_RECORDED || l->stages)
		opt_usage("--scenario has no recorded times, and is no sequence: without --timing "
			  "recorded and --stages");
	if (l->counts.n == 0 && l->duration_ns == NS_NONE)
		opt_usage("--scenario needs -n or --duration: how many requests is a round?");
	if (o->verify.on && !o->verify.with)
		opt_usage("--verify: scenarios have no recorded answers to compare with; give --verify-with");
}

void options_parse(struct options *o, int argc, char **argv)
{
	struct opt rows[ROWS_MAX] = { { .name = NULL } };
	const struct opt_tool tool = {
		.name = "tokreplay", .synopsis = "[options] --base-url URL TRACE | --scenario IN:OUT,...",
		.summary = "Sends the requests of a trace to an engine, and writes a trace of "
			   "what comes back.",
		.opts = rows, .min_args = 0, .max_args = 1,
	};
	size_t n = 0;
	int first;

	*o = (struct options){ .output = "-" };
	n += options_engine_rows(&o->engine, rows + n);
	n += options_load_rows(&o->load, rows + n);
	n += options_rounds_rows(&o->rounds, rows + n);
	n += options_body_rows(&o->body, rows + n);
	n += options_verify_rows(&o->verify, rows + n);
	run_rows(o, rows + n);
	first = opt_parse(&tool, argc, argv);
	options_rounds_check(&o->rounds);
	set_source(o, first < argc ? argv[first] : NULL);
	options_verify_check(&o->verify, o->engine.base_url && !o->plan, o->output);
	if (!o->engine.base_url && !o->plan && !o->verify.on)
		opt_usage("--base-url is missing: where is the engine? (or --plan, to send nothing; or --verify, to compare finished runs)");
	if (o->load.stages && strcmp(o->load.stages, "-") == 0 && strcmp(o->source, "-") == 0)
		opt_usage("the trace and --stages cannot both come from stdin");
	options_load_check(&o->load);
	if (o->load.live_history && o->no_text)
		opt_usage("--live-history needs the answers' text: without --no-text");
	options_body_check(&o->body);
	check_together(o);
	if (!o->body.exact_said)
		o->body.exact = o->rounds.n_scenarios ? TOKENIZE_AUTO : EXACT_OFF;
}

bool options_wants_exact(const struct options *o)
{
	return o->body.exact != EXACT_OFF && o->engine.base_url;
}

void options_release(struct options *o)
{
	options_engine_release(&o->engine);
	options_load_release(&o->load);
	options_rounds_release(&o->rounds);
	options_body_release(&o->body);
}

void options_plan(const struct options *o, const char *default_model, struct plan_opts *p)
{
	*p = (struct plan_opts){ .n_levels = 0 };
	options_load_plan(&o->load, p);
	options_rounds_plan(&o->rounds, p);
	options_body_plan(&o->body, default_model, p);
}
