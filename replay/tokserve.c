/* tokserve: serves a trace's responses back, or simulates an engine.  This file only wires. */
#include <config.h>

#include <event2/event.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/opt.h"
#include "replay/served.h"
#include "replay/sim.h"

enum match { MATCH_DIGEST, MATCH_ORDER };
static const char *const matches[] = { "digest", "order", NULL };

static struct {
	const char *listen, *profile, *model, *log_digests;
	int match;
	double speed;
	int64_t seed, requests, idle_ns;
	bool quiet, verbose;
} opt = { .listen = "127.0.0.1:0", .speed = 1, .requests = COUNT_NONE, .idle_ns = NS_NONE };

static const struct opt opts[] = {
	{ "listen", 0, OPT_STR, &opt.listen, "ADDRESS", "address and port (127.0.0.1:0: any free port)", NULL },
	{ "profile", 0, OPT_STR, &opt.profile, "FILE", "simulate the engine of this profile", NULL },
	{ "match", 0, OPT_CHOICE, &opt.match, "RULE", "trace: find the recording by digest (default) or order", matches },
	{ "speed", 0, OPT_NUMBER, &opt.speed, "X", "X times as fast (1)", NULL },
	{ "seed", 0, OPT_COUNT, &opt.seed, "N", "profile: seed of jitter and text (0)", NULL },
	{ "model", 0, OPT_STR, &opt.model, "NAME", "model name to give", NULL },
	{ "requests", 'n', OPT_COUNT, &opt.requests, "N", "exit after N inference requests", NULL },
	{ "idle-exit", 0, OPT_NS, &opt.idle_ns, "TIME", "exit after so long without a request", NULL },
	{ "log-digests", 0, OPT_STR, &opt.log_digests, "FILE", "write each request body's SHA-256 in order of arrival", NULL },
	{ "quiet", 'q', OPT_FLAG, &opt.quiet, NULL, "say only where it listens, and errors", NULL },
	{ "verbose", 'v', OPT_FLAG, &opt.verbose, NULL, "say each request", NULL },
	{ 0 },
};

static const struct opt_tool tool = {
	.name = "tokserve",
	.synopsis = "[options] TRACE | --profile FILE",
	.summary = "Serves a trace's responses back with their timing, or simulates an engine.",
	.opts = opts,
	.min_args = 0,
	.max_args = 1,
};

/* What stands behind the HTTP server: one of the two. */
struct source {
	struct profile profile;
	struct trace_data trace;
	struct served *served;
	struct sim *sim;
	struct httpd_backend backend;
};

/* A bare name that is no file here is looked up among the profiles that come with us. */
static const char *find_profile(const char *name, char *path, size_t n)
{
	static const char *const ends[] = { "", ".profile" };

	if (strcmp(name, "-") == 0 || strchr(name, '/') || access(name, F_OK) == 0)
		return name;
	for (int i = 0; i < 2; i++) {
		snprintf(path, n, PKGDATADIR "/%s%s", name, ends[i]);
		if (access(path, F_OK) == 0)
			return path;
	}
	return name;
}

static int open_profile(struct source *src, struct event_base *base, struct err *e)
{
	char path[4096];

	if (profile_load(find_profile(opt.profile, path, sizeof(path)), &src->profile, e) < 0)
		return -1;
	src->sim = sim_create(base, &(struct sim_opts){
		.profile = &src->profile, .seed = (uint64_t)opt.seed, .speed = opt.speed,
		.model = opt.model ? opt.model : src->profile.model });
	if (!src->sim)
		return err_set(e, "out of memory");
	sim_backend(src->sim, &src->backend);
	return 0;
}

static int open_trace(struct source *src, struct event_base *base, const char *path, struct err *e)
{
	int rc = trace_data_load(path, true, &src->trace, e);

	if (rc < 0)
		return -1;
	if (rc > 0)
		warn("%s; serving what stands before", e->msg);
	src->served = served_create(base, &(struct served_opts){
		.trace = &src->trace, .by_order = opt.match == MATCH_ORDER, .speed = opt.speed,
		.model = opt.model }, e);
	if (!src->served)
		return err_wrap(e, "%s", path);
	served_backend(src->served, &src->backend);
	return 0;
}

static void source_close(struct source *src)
{
	sim_free(src->sim);
	if (src->served)
		served_free(src->served);
	if (!opt.profile)
		trace_data_release(&src->trace);
}

static void on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)what;
	event_base_loopbreak(arg);
	/* A second one at once. */
	signal((int)sig, SIG_DFL);
}

/* Thousands of streams need as many descriptors. */
static void raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static struct event_base *make_base(void)
{
	struct event_config *c = event_config_new();
	struct event_base *base = NULL;

	if (c && event_config_set_flag(c, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		base = event_base_new_with_config(c);
	if (c)
		event_config_free(c);
	if (!base)
		die(EXIT_FAILED, "no event loop");
	return base;
}

static int run(struct event_base *base, const struct source *src, FILE *digests, struct err *e)
{
	const struct httpd_opts o = { .listen = opt.listen, .requests = opt.requests,
				      .idle_ns = opt.idle_ns, .digests = digests,
				      .verbose = opt.verbose };
	struct event *sigint = evsignal_new(base, SIGINT, on_signal, base);
	struct event *sigterm = evsignal_new(base, SIGTERM, on_signal, base);
	struct httpd *h = httpd_create(base, &o, &src->backend, e);
	int64_t answered, left;

	if (h) {
		event_add(sigint, NULL);
		event_add(sigterm, NULL);
		fprintf(stderr, "listening on %s\n", httpd_address(h));
		event_base_dispatch(base);
		httpd_counts(h, &answered, &left);
		if (!opt.quiet)
			fprintf(stderr, "tokserve: %lld answered, %lld left early\n",
				(long long)answered, (long long)left);
		httpd_free(h);
	}
	event_free(sigint);
	event_free(sigterm);
	return h ? 0 : -1;
}

static int close_digests(FILE *f, struct err *e)
{
	int bad = ferror(f);

	if (fclose(f) != 0 || bad)
		return err_set(e, "%s: %s", opt.log_digests, strerror(errno));
	return 0;
}

static void check_usage(bool has_trace)
{
	if (opt.profile && has_trace)
		opt_usage("give a trace or --profile, not both");
	if (!opt.profile && !has_trace)
		opt_usage("give a trace, or --profile FILE for a simulated engine");
	if (!(opt.speed > 0 && opt.speed <= 1e6))
		opt_usage("--speed: give a number above 0, at most 1000000");
}

int main(int argc, char **argv)
{
	int first = opt_parse(&tool, argc, argv), rc;
	struct source src = { 0 };
	struct event_base *base;
	FILE *digests = NULL;
	struct err e;

	check_usage(first < argc);
	if (opt.log_digests && !(digests = fopen(opt.log_digests, "w")))
		die(EXIT_FAILED, "%s: %s", opt.log_digests, strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	raise_descriptors();
	base = make_base();
	rc = opt.profile ? open_profile(&src, base, &e) : open_trace(&src, base, argv[first], &e);
	if (rc == 0)
		rc = run(base, &src, digests, &e);
	source_close(&src);
	event_base_free(base);
	libevent_global_shutdown();
	if (digests && close_digests(digests, &e) < 0)
		rc = -1;
	if (rc < 0)
		err_print(&e);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
