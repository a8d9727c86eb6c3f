/* tokreplay: sends a trace's requests to an engine and writes what comes back. */
#include <config.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/opt.h"
#include "replay/driver.h"
#include "replay/launch.h"

enum { KEY_ROOM = 1 << 16 };
enum { ENDPOINT_AS_RECORDED, ENDPOINT_CHAT, ENDPOINT_COMPLETIONS };

static const char *const timings[] = { "closed", "recorded", NULL };
static const char *const endpoints[] = { "as-recorded", "chat", "completions", NULL };

static struct {
	const char *base_url, *model, *extra_body, *key_env, *key_file, *output;
	struct opt_counts levels, counts;
	struct opt_strs headers;
	int timing, endpoint;
	double speed;
	int64_t max_tokens, seed, warmups;
	bool ignore_eos, stream, no_text, probe, allow_cut, plan, quiet, verbose;
	int64_t connect_timeout_ns, idle_timeout_ns, total_timeout_ns;
} opts = {
	.key_env = "OPENAI_API_KEY", .output = "-", .max_tokens = COUNT_NONE,
	.connect_timeout_ns = 10 * NS_PER_S, .idle_timeout_ns = 600 * NS_PER_S,
};

static const struct opt table[] = {
	{ "base-url", 0, OPT_STR, &opts.base_url, "URL", "the engine, with or without /v1", NULL },
	{ "model", 0, OPT_STR, &opts.model, "NAME", "model to ask for (default: as recorded, else the engine's first)", NULL },
	{ "max-concurrency", 'c', OPT_COUNTS, &opts.levels, "C,...", "requests at once; several levels run one after another (default 1)", NULL },
	{ "num-prompts", 'n', OPT_COUNTS, &opts.counts, "N,...", "requests per level (default: all of the trace)", NULL },
	{ "timing", 0, OPT_CHOICE, &opts.timing, "HOW", "closed (default): when a slot is free; recorded: at the recorded times", timings },
	{ "speed", 0, OPT_NUMBER, &opts.speed, "X", "recorded timing, X times as fast (default 1)", NULL },
	{ "num-warmups", 0, OPT_COUNT, &opts.warmups, "N", "requests before each level that are not measured (default 0)", NULL },
	{ "max-tokens", 0, OPT_COUNT, &opts.max_tokens, "N", "output limit of every request", NULL },
	{ "ignore-eos", 0, OPT_FLAG, &opts.ignore_eos, NULL, "ask the engine to go on to the limit", NULL },
	{ "stream", 0, OPT_FLAG, &opts.stream, NULL, "make recorded requests stream, with usage", NULL },
	{ "endpoint", 0, OPT_CHOICE, &opts.endpoint, "KIND", "as-recorded (default), chat, completions: for synthetic prompts", endpoints },
	{ "extra-body", 0, OPT_STR, &opts.extra_body, "JSON", "object whose members go into every body", NULL },
	{ "header", 0, OPT_STRS, &opts.headers, "LINE", "'Name: value' to send with every request; repeatable", NULL },
	{ "api-key-env", 0, OPT_STR, &opts.key_env, "NAME", "environment variable with the API key (default OPENAI_API_KEY)", NULL },
	{ "api-key-file", 0, OPT_STR, &opts.key_file, "FILE", "file whose first line is the API key", NULL },
	{ "seed", 0, OPT_COUNT, &opts.seed, "N", "seed of synthetic prompts (default 0)", NULL },
	{ "connect-timeout", 0, OPT_NS, &opts.connect_timeout_ns, "TIME", "until connected (default 10s; 0: none)", NULL },
	{ "idle-timeout", 0, OPT_NS, &opts.idle_timeout_ns, "TIME", "without a byte (default 600s; 0: none)", NULL },
	{ "total-timeout", 0, OPT_NS, &opts.total_timeout_ns, "TIME", "for a whole request (default: none)", NULL },
	{ "plan", 0, OPT_FLAG, &opts.plan, NULL, "print the plan as JSON lines and send nothing", NULL },
	{ "probe", 0, OPT_FLAG, &opts.probe, NULL, "ask the engine for its model and version first", NULL },
	{ "no-text", 0, OPT_FLAG, &opts.no_text, NULL, "keep lengths and digests instead of texts", NULL },
	{ "allow-truncated", 0, OPT_FLAG, &opts.allow_cut, NULL, "replay what a cut trace still holds", NULL },
	{ "output", 'o', OPT_STR, &opts.output, "RUN.tok", "the run's trace (default -: stdout)", NULL },
	{ "quiet", 'q', OPT_FLAG, &opts.quiet, NULL, "only errors on stderr", NULL },
	{ "verbose", 'v', OPT_FLAG, &opts.verbose, NULL, "a line on stderr per request", NULL },
	{ NULL, 0, OPT_FLAG, NULL, NULL, NULL, NULL },
};

static const struct opt_tool tool = {
	.name = "tokreplay", .synopsis = "[options] --base-url URL TRACE",
	.summary = "Sends the requests of a trace to an engine, and writes a trace of what comes back.",
	.opts = table, .min_args = 1, .max_args = 1,
};

static void check_options(void)
{
	if (!opts.base_url && !opts.plan)
		opt_usage("--base-url is missing: where is the engine? (or --plan, to send nothing)");
	if (opts.speed != 0 && opts.timing != TIMING_RECORDED)
		opt_usage("--speed needs --timing recorded");
	if (opts.speed == 0)
		opts.speed = 1;
	if (!(opts.speed > 0))
		opt_usage("--speed: must be more than 0");
	for (size_t i = 0; i < opts.levels.n; i++)
		if (opts.levels.v[i] < 1 || opts.levels.v[i] > 1000000)
			opt_usage("--max-concurrency: must be 1 to 1000000");
	for (size_t i = 0; i < opts.counts.n; i++)
		if (opts.counts.v[i] < 1 || opts.counts.v[i] > 100000000)
			opt_usage("--num-prompts: must be 1 to 100000000");
	if (opts.counts.n > 1 && opts.counts.n != (opts.levels.n ? opts.levels.n : 1))
		opt_usage("--num-prompts: give one number, or one for each level of --max-concurrency");
	if (opts.warmups > 1000000)
		opt_usage("--num-warmups: must be at most 1000000");
	if (opts.max_tokens == 0)
		opt_usage("--max-tokens: must be at least 1");
}

static void set_plan_options(struct plan_opts *o, const char *default_model, json_t *extra)
{
	static const int64_t one = 1, no_cap = COUNT_NONE;

	*o = (struct plan_opts){
		.timing = (enum timing)opts.timing, .speed = opts.speed,
		.levels = opts.levels.v, .n_levels = opts.levels.n,
		.counts = opts.counts.v, .n_counts = opts.counts.n, .warmups = opts.warmups,
	};
	o->req = (struct request_opts){
		.model = opts.model, .model_default = *default_model ? default_model : NULL,
		.max_tokens = opts.max_tokens, .ignore_eos = opts.ignore_eos,
		.stream = opts.stream, .extra = extra, .seed = (uint64_t)opts.seed,
		.endpoint = opts.endpoint == ENDPOINT_CHAT ? API_CHAT :
			opts.endpoint == ENDPOINT_COMPLETIONS ? API_COMPLETIONS : API_NONE,
	};
	if (o->n_levels == 0) {
		o->levels = opts.timing == TIMING_CLOSED ? &one : &no_cap;
		o->n_levels = 1;
	}
}

static void say_source(const struct source *s, const struct plan *p, const char *cut)
{
	if (cut)
		warn("%s; going on with what is there", cut);
	if (s->foreign && !opts.quiet)
		warn("left out %zu records that are no chat or completions request", s->foreign);
	if (s->warmups && !opts.quiet)
		warn("left out %zu warm-up requests of the recorded run", s->warmups);
	if (p->wrapped && !opts.quiet)
		warn("the trace has %zu requests: it is sent again from its beginning (synthetic "
		     "prompts get other words each time)", s->n);
}

static int print_plan(const struct plan *p, struct err *e)
{
	struct buf line;
	bool bad = false;

	buf_init(&line, 1 << 20);
	for (size_t i = 0; i < p->n && !bad; i++) {
		buf_clear(&line);
		bad = plan_line(p, i, &line) < 0 || fwrite(line.p, 1, line.n, stdout) != line.n;
	}
	buf_release(&line);
	if (!bad)
		bad = printf("{\"plan_digest\":\"%s\",\"source_digest\":\"%s\",\"requests\":%zu}\n",
			     p->digest, p->source->digest, p->n) < 0;
	if (fflush(stdout) == EOF || bad)
		return err_set(e, "stdout: cannot write the plan");
	return 0;
}

static int64_t highest_level(const struct plan_opts *o)
{
	int64_t most = 1;

	for (size_t i = 0; i < o->n_levels; i++)
		if (o->levels[i] > most)
			most = o->levels[i];
	return most;
}

/* The closing line, which also says what the exit code means.  Returns the exit code. */
static int say_result(enum drive_result r, const struct tally *t, const struct target *target,
		      int64_t took_ns, const struct err *e)
{
	const char *kind = t->n_kinds ? t->kinds[0].kind : "none";
	const char *why = t->n_kinds ? t->kinds[0].text : "";
	double s = (double)took_ns / 1e9;
	char failures[512];

	tally_failures(t, failures, sizeof(failures));
	if (r == DRIVE_FAILED)
		err_print(e);
	else if (r == DRIVE_NO_ENGINE)
		warn("no engine at %s: %s; is it running there?", target->shown,
		     *why ? why : "connection refused");
	else if (r == DRIVE_INTERRUPTED)
		warn("interrupted: %" PRId64 " of %" PRId64 " requests had ended, %" PRId64
		     " of them ok; %s holds what was captured", t->done, t->planned, t->ok,
		     opts.output);
	else if (t->ok == 0)
		warn("none of %" PRId64 " requests was ok (%s); the first failure: %s%s%s",
		     t->done, failures, kind, *why ? ": " : "", why);
	else if (!opts.quiet)
		warn("%" PRId64 " of %" PRId64 " requests ok%s%s; %" PRId64 " output tokens in "
		     "%.1f s, %.1f tok/s; %s", t->ok, t->planned, *failures ? "; failed: " : "",
		     failures, t->output_tokens, s, s > 0 ? (double)t->output_tokens / s : 0,
		     opts.output);
	return r == DRIVE_COMPLETE && t->ok > 0 ? EXIT_OK : EXIT_FAILED;
}

/* What was asked for on the command line, ready to use. */
struct job {
	const char *path;       /* of the source */
	struct source src;
	const char *cut;        /* where the source is cut, or NULL */
	struct target target;   /* unless there is only a plan to print, and no URL */
	json_t *extra;
	int argc;
	char **argv;
};

static int run(struct runlog *log, const struct job *j, const struct probe *engine)
{
	/* The origin is the epoch of the trace: made as late as can be. */
	struct trace_origin *origin = trace_origin_create(j->argc, j->argv);
	struct drive_opts o = { opts.connect_timeout_ns, opts.idle_timeout_ns,
				opts.total_timeout_ns, opts.quiet, opts.verbose };
	struct tally tally = { .planned = (int64_t)log->plan->n };
	enum drive_result result = DRIVE_FAILED;
	struct err e = { "" }, late;
	int64_t epoch_ns = clock_mono_ns(), took_ns;

	if (!origin)
		err_set(&e, "out of memory");
	else if (runlog_header(log, origin, engine, j->path, &epoch_ns, &e) == 0)
		result = drive(log, &o, epoch_ns, &tally, &e);
	took_ns = clock_mono_ns() - epoch_ns;
	if (result != DRIVE_FAILED &&
	    runlog_end(log, took_ns, result == DRIVE_INTERRUPTED, &e) < 0)
		result = DRIVE_FAILED;
	/* After a failed write the first error is the one to tell. */
	if (trace_writer_close(log->w, result == DRIVE_FAILED ? &late : &e) < 0)
		result = DRIVE_FAILED;
	if (origin)
		trace_origin_free(origin);
	return say_result(result, &tally, log->target, took_ns, &e);
}

/* Everything that can be wrong is found before the first request is sent. */
static int replay(struct job *j, struct err *e)
{
	struct probe engine = { "", "", "" };
	struct plan_opts po;
	struct plan plan;
	struct runlog log = { .plan = &plan, .target = &j->target, .no_text = opts.no_text };
	int code = EXIT_FAILED;

	set_plan_options(&po, "", j->extra);
	if (launch_room_for(highest_level(&po), e) < 0)
		return EXIT_FAILED;
	if (opts.probe && probe_engine(&j->target, &engine, e) < 0)
		return EXIT_FAILED;
	set_plan_options(&po, engine.model, j->extra);
	if (plan_build(&j->src, &po, &plan, e) < 0)
		return EXIT_FAILED;
	say_source(&j->src, &plan, j->cut);
	if (trace_writer_open(opts.output, &log.w, e) == 0)
		code = run(&log, j, &engine);
	plan_release(&plan);
	return code;
}

static int plan_only(struct job *j, struct err *e)
{
	struct probe engine = { "", "", "" };
	struct plan_opts po;
	struct plan plan;
	int rc;

	set_plan_options(&po, "", j->extra);
	if (plan_build(&j->src, &po, &plan, e) < 0)
		return EXIT_FAILED;
	if (!plan.e[0].facts.model && opts.base_url && opts.probe) {
		plan_release(&plan);
		if (probe_engine(&j->target, &engine, e) < 0)
			return EXIT_FAILED;
		set_plan_options(&po, engine.model, j->extra);
		if (plan_build(&j->src, &po, &plan, e) < 0)
			return EXIT_FAILED;
	}
	say_source(&j->src, &plan, j->cut);
	rc = print_plan(&plan, e);
	plan_release(&plan);
	return rc == 0 ? EXIT_OK : EXIT_FAILED;
}

/* What the command line alone can get wrong: exits with 2, or 1 for an unreadable key. */
static void set_up(struct job *j)
{
	struct buf key;
	struct err e;

	if (opts.extra_body && !(j->extra = launch_object(opts.extra_body, &e)))
		opt_usage("--extra-body: %s", e.msg);
	if (!opts.base_url)
		return;
	buf_init(&key, KEY_ROOM);
	if (launch_api_key(opts.key_file, opts.key_env, &key, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	if (target_init(&j->target, opts.base_url, opts.headers.v, opts.headers.n,
			buf_cstr(&key), &e) < 0)
		opt_usage("%s", e.msg);
	buf_release(&key);
}

static void release(struct job *j)
{
	source_release(&j->src);
	json_decref(j->extra);
	if (opts.base_url)
		target_release(&j->target);
}

int main(int argc, char **argv)
{
	struct job job = { .argc = argc, .argv = argv };
	struct err e = { "" }, cut_err = { "" };
	bool cut = false;
	int code;

	job.path = argv[opt_parse(&tool, argc, argv)];
	check_options();
	signal(SIGPIPE, SIG_IGN);
	set_up(&job);
	if (!opts.plan && launch_same_file(job.path, opts.output))
		die(EXIT_FAILED, "%s: would be overwritten by its own replay; give another -o", job.path);
	if (source_load(job.path, opts.allow_cut, &job.src, &cut, &cut_err) < 0)
		die(EXIT_FAILED, "%s", cut_err.msg);
	job.cut = cut ? cut_err.msg : NULL;
	code = opts.plan ? plan_only(&job, &e) : replay(&job, &e);
	if (*e.msg)
		err_print(&e);
	release(&job);
	return code;
}
