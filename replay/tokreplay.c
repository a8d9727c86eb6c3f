/* tokreplay: sends a trace's requests to an engine and writes what comes back. */
#include <config.h>

#include <signal.h>
#include <unistd.h>

#include "replay/exact.h"
#include "replay/launch.h"
#include "replay/options.h"
#include "replay/say.h"
#include "replay/verify_files.h"

static int64_t highest_level(const struct plan_opts *o)
{
	int64_t most = 1;

	for (size_t i = 0; i < o->n_levels; i++)
		if (o->loads[i].concurrency > most)
			most = o->loads[i].concurrency;
	return most;
}

/* What was asked for on the command line, ready to use. */
struct job {
	struct options o;
	struct source src;
	const char *cut;        /* where the source is cut, or NULL */
	struct exact exact;     /* what the engine said before the plan was made */
	struct target target;   /* unless there is only a plan to print, and no URL */
	int argc;
	char **argv;
};

static int run(struct runlog *log, const struct job *j, const struct probe *engine)
{
	/* The origin is the epoch of the trace: made as late as can be. */
	struct trace_origin *origin = trace_origin_create(j->argc, j->argv);
	const struct options_engine *en = &j->o.engine;
	struct drive_opts o = { (size_t)en->threads, en->preconnect, j->o.load.grace_ns,
				j->o.load.start_wall_ns, j->o.quiet, j->o.verbose };
	struct tally tally = { .planned = plan_mine(log->plan) };
	struct health health;
	enum drive_result result = DRIVE_FAILED;
	struct err e = { "" }, late;
	int64_t epoch_ns = clock_mono_ns(), took_ns;

	health_init(&health);
	if (!origin)
		err_set(&e, "out of memory");
	else if (runlog_header(log, origin, engine, j->o.source, &epoch_ns, &e) == 0)
		result = drive(log, &o, epoch_ns, &tally, &health, &e);
	took_ns = clock_mono_ns() - epoch_ns;
	if (result != DRIVE_FAILED &&
	    runlog_end(log, took_ns, result == DRIVE_INTERRUPTED, &e) < 0)
		result = DRIVE_FAILED;
	/* After a failed write the first error is the one to tell. */
	if (trace_writer_close(log->w, result == DRIVE_FAILED ? &late : &e) < 0)
		result = DRIVE_FAILED;
	if (origin)
		trace_origin_free(origin);
	return say_result(result, &tally, &health, log->target, took_ns, &j->o, &e);
}

/* After what the engine has to say.  0, or -1 and nothing to release. */
static int make_plan(struct job *j, const struct probe *engine, struct plan *plan, struct err *e)
{
	struct plan_opts po;
	int rc;

	options_plan(&j->o, engine->model, &po);
	rc = exact_learn(&j->o, &j->target, engine, &j->src, &po, &j->exact, e);
	exact_plan(&j->exact, &po);
	return rc < 0 ? -1 : plan_build(&j->src, &po, plan, e);
}

/* Everything that can be wrong is found before the first request is sent. */
static int replay(struct job *j, struct err *e)
{
	struct probe engine = { "", "", "" };
	struct plan_opts po;
	struct plan plan;
	struct runlog log = { .plan = &plan, .target = &j->target, .no_text = j->o.no_text };
	int code = EXIT_FAILED;

	options_plan(&j->o, "", &po);
	if (launch_room_for(highest_level(&po), e) < 0)
		return EXIT_FAILED;
	if (j->o.engine.probe && probe_engine(&j->target, &engine, e) < 0)
		return EXIT_FAILED;
	if (make_plan(j, &engine, &plan, e) < 0)
		return EXIT_FAILED;
	say_source(&j->src, &plan, j->cut, j->o.quiet);
	if (trace_writer_open(j->o.output, &log.w, e) == 0)
		code = run(&log, j, &engine);
	plan_release(&plan);
	return code;
}

static int plan_only(struct job *j, struct err *e)
{
	struct probe engine = { "", "", "" };
	struct plan plan;
	int rc;

	/* The engine is asked where the run would ask it: the plan is to be the same. */
	if (j->o.engine.base_url && j->o.engine.probe && probe_engine(&j->target, &engine, e) < 0)
		return EXIT_FAILED;
	if (make_plan(j, &engine, &plan, e) < 0)
		return EXIT_FAILED;
	say_source(&j->src, &plan, j->cut, j->o.quiet);
	rc = say_plan(&plan, e);
	if (rc == 0 && !j->o.quiet && isatty(STDERR_FILENO))
		say_plan_summary(&plan);
	plan_release(&plan);
	return rc == 0 ? EXIT_OK : EXIT_FAILED;
}

static void release(struct job *j)
{
	exact_release(&j->exact);
	source_release(&j->src);
	if (j->o.engine.base_url)
		target_release(&j->target);
	options_release(&j->o);
}

/* Finished traces are compared; nothing is sent. */
static int verify_offline(struct job *j)
{
	struct err e = { "" };
	int code = verify_files(j->o.source, NULL, &j->o.verify, &e);

	if (*e.msg)
		err_print(&e);
	options_release(&j->o);
	return code;
}

/* Exits with 1 if there is nothing to replay. */
static void load_trace(struct job *j, struct err *cut_err)
{
	const struct options *o = &j->o;
	bool cut = false;

	if (!o->plan && launch_same_file(o->source, o->output))
		die(EXIT_FAILED, "%s: would be overwritten by its own replay; give another -o",
		    o->source);
	if (source_load(o->source, o->allow_cut, &j->src, &cut, cut_err) < 0)
		die(EXIT_FAILED, "%s", cut_err->msg);
	j->cut = cut ? cut_err->msg : NULL;
}

int main(int argc, char **argv)
{
	struct job job = { .argc = argc, .argv = argv };
	const struct options *o = &job.o;
	struct err e = { "" }, cut_err = { "" };
	int code;

	options_parse(&job.o, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	if (options_offline(o))
		return verify_offline(&job);
	if (o->engine.base_url)
		options_engine_target(&o->engine, &job.target);
	if (o->rounds.n_scenarios) {
		if (scenario_source(o->rounds.scenarios, o->rounds.n_scenarios, &job.src, &e) < 0)
			die(EXIT_FAILED, "%s", e.msg);
	} else {
		load_trace(&job, &cut_err);
	}
	code = o->plan ? plan_only(&job, &e) : replay(&job, &e);
	if (code == EXIT_OK && o->verify.on && !o->plan)
		code = verify_files(o->output, &job.src, &o->verify, &e);
	if (*e.msg)
		err_print(&e);
	release(&job);
	return code;
}
