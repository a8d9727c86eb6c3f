#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats/base/opt.h"
#include "formats/base/secret.h"
#include "record/proxy.h"

enum { TICK_MS = 500 };

static struct {
	const char *listen, *upstream, *output;
	int64_t max_body, connect_timeout_ns, idle_timeout_ns, requests;
	bool no_text, quiet, verbose;
} o = {
	.listen = "127.0.0.1:9000", .max_body = 64 << 20, .connect_timeout_ns = 30 * NS_PER_S,
	.requests = COUNT_NONE,
};

static const struct opt opts[] = {
	{ "listen", 'l', OPT_STR, &o.listen, "HOST:PORT", "where clients connect (default 127.0.0.1:9000; port 0: any)", NULL },
	{ "upstream", 'u', OPT_STR, &o.upstream, "URL", "the engine, http://127.0.0.1:8000", NULL },
	{ "output", 'o', OPT_STR, &o.output, "FILE", "the trace; '-' is stdout", NULL },
	{ "no-text", 0, OPT_FLAG, &o.no_text, NULL, "keep lengths and digests, not prompt and output text", NULL },
	{ "max-body", 0, OPT_COUNT, &o.max_body, "BYTES", "largest request body (default 64M)", NULL },
	{ "connect-timeout", 0, OPT_NS, &o.connect_timeout_ns, "TIME", "for a connection to the engine (default 30s)", NULL },
	{ "idle-timeout", 0, OPT_NS, &o.idle_timeout_ns, "TIME", "without a byte from the engine (default 0: none)", NULL },
	{ "requests", 'n', OPT_COUNT, &o.requests, "N", "end after N recorded exchanges", NULL },
	{ "quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no summary on stderr", NULL },
	{ "verbose", 'v', OPT_FLAG, &o.verbose, NULL, "a line on stderr per request", NULL },
	{ NULL, 0, OPT_FLAG, NULL, NULL, NULL, NULL },
};

static const struct opt_tool tool = {
	"tokrecord", "[options] --upstream URL -o FILE",
	"Recording reverse proxy: clients talk to it, it talks to the engine, every stream is kept with its times.",
	opts, 0, 0,
};

/* What the signal and timer callbacks need. */
struct world {
	struct event_base *base;
	struct capture_pool *pool;
	struct recorder rec;
	int64_t epoch_ns;
	int ticks;
	bool interrupted;
};

static void on_signal(evutil_socket_t sig, short what, void *arg)
{
	struct world *w = arg;

	(void)what;
	if (w->interrupted)
		_exit(128 + (int)sig);
	w->interrupted = true;
	event_base_loopbreak(w->base);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct world *w = arg;
	struct record rec;

	(void)fd, (void)what;
	/* Health once a second, and none of an idle second: a quiet night costs nothing. */
	if (++w->ticks % 2 == 0) {
		record_init(&rec, REC_CLIENT);
		capture_pool_health(w->pool, &rec.u.client);
		rec.u.client.t_ns = clock_mono_ns() - w->epoch_ns;
		if (rec.u.client.events > 0)
			recorder_put(&w->rec, &rec);
	}
	recorder_tick(&w->rec);
}

static int open_trace(struct world *w, struct trace_origin *origin, struct err *e)
{
	struct rec_header *h;
	struct record rec;
	struct buf url;
	struct kv target[1];
	int rc;

	buf_init(&url, 1 << 16);
	secret_scrub_url(str_of(o.upstream), &url);
	target[0] = (struct kv){ str_of("url"), buf_str(&url) };
	record_init(&rec, REC_HEADER);
	h = &rec.u.header;
	trace_origin_fill(origin, h);
	h->target = (struct kvs){ target, 1 };
	h->no_text = o.no_text;
	w->epoch_ns = h->epoch_mono_ns;
	rc = recorder_open(&w->rec, o.output, h, e);
	buf_release(&url);
	return rc;
}

static void summary(const struct proxy *p, const struct world *w)
{
	int64_t recorded, passed;

	proxy_counts(p, &recorded, &passed);
	if (!o.quiet)
		fprintf(stderr, "tokrecord: %lld exchanges recorded, %lld passed%s; %s\n", (long long)recorded,
			(long long)passed, w->interrupted ? ", interrupted" : "", o.output);
}

static int loop(struct world *w, struct proxy *p)
{
	struct event *tick = event_new(w->base, -1, EV_PERSIST, on_tick, w);
	struct event *sigs[] = { evsignal_new(w->base, SIGINT, on_signal, w), evsignal_new(w->base, SIGTERM, on_signal, w) };
	struct timeval every = { 0, TICK_MS * 1000 };

	if (!tick || !sigs[0] || !sigs[1])
		return -1;
	event_add(tick, &every);
	event_add(sigs[0], NULL);
	event_add(sigs[1], NULL);
	fprintf(stderr, "listening on %s\n", proxy_address(p));
	event_base_dispatch(w->base);
	event_free(tick);
	event_free(sigs[0]);
	event_free(sigs[1]);
	return 0;
}

static int run(struct world *w, struct err *e)
{
	struct proxy_opts po = {
		.listen = o.listen, .upstream = o.upstream, .max_body = o.max_body, .epoch_ns = w->epoch_ns,
		.stop_after = o.requests, .no_text = o.no_text, .verbose = o.verbose,
	};
	struct capture_opts co = {
		.epoch_ns = w->epoch_ns, .connect_timeout_ns = o.connect_timeout_ns,
		.idle_timeout_ns = o.idle_timeout_ns, .part_ns = 400 * NS_PER_MS, .no_text = o.no_text,
	};
	struct event_config *cfg = event_config_new();
	struct proxy *p;
	int rc = -1;

	if (cfg)
		event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER);
	w->base = cfg ? event_base_new_with_config(cfg) : NULL;
	if (cfg)
		event_config_free(cfg);
	if (!w->base)
		return err_set(e, "out of memory");
	w->pool = capture_pool_create(w->base, &co, e);
	p = w->pool ? proxy_create(w->base, &po, w->pool, &w->rec, e) : NULL;
	if (p)
		rc = loop(w, p);
	if (p) {
		summary(p, w);
		proxy_free(p);
	}
	if (w->pool)
		capture_pool_free(w->pool);
	event_base_free(w->base);
	return rc;
}

/* Each exchange takes two descriptors: the default soft limit is soon reached. */
static void raise_file_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

int main(int argc, char **argv)
{
	struct trace_origin *origin = trace_origin_create(argc, argv);
	struct world w = { .base = NULL };
	struct err e, at_close;
	int rc;

	opt_parse(&tool, argc, argv);
	if (!o.upstream)
		opt_usage("--upstream is needed: the engine's URL, http://127.0.0.1:8000");
	if (strncmp(o.upstream, "http://", 7) != 0 && strncmp(o.upstream, "https://", 8) != 0)
		opt_usage("--upstream: '%s' is not a URL like http://127.0.0.1:8000", o.upstream);
	if (!o.output)
		opt_usage("-o is needed: the trace file, or '-' for stdout");
	signal(SIGPIPE, SIG_IGN);
	raise_file_limit();
	if (!origin)
		die(EXIT_FAILED, "out of memory");
	rc = open_trace(&w, origin, &e);
	if (rc == 0) {
		rc = run(&w, &e);
		if (recorder_close(&w.rec, clock_mono_ns() - w.epoch_ns, w.interrupted, &at_close) < 0) {
			err_print(&at_close);
			trace_origin_free(origin);
			return EXIT_FAILED;
		}
	}
	trace_origin_free(origin);
	if (rc < 0)
		err_print(&e);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
