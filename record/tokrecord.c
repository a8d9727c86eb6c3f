#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/opt.h"
#include "record/blocks.h"
#include "record/capacity.h"
#include "record/options_net.h"
#include "record/run.h"
#include "record/salt.h"
#include "record/sample.h"

static struct {
	struct options_net net;
	const char *output, *salt_file, *sample;
	struct opt_strs redact, redact_files;
	int64_t requests;
	int64_t queue, rotate_ns, rotate_size, rotate_grace_ns, drain_timeout_ns;
	const char *metrics;
	bool no_text, quiet, verbose, force, watch;
} o = {
	.requests = COUNT_NONE, .queue = 64 << 20, .rotate_grace_ns = 600 * NS_PER_S, .drain_timeout_ns = 30 * NS_PER_S,
};

enum {
	ROWS_MAX = 64,
	KEEP_IDLE_S = 5, /* as long as most engines keep a connection that nobody uses */
};

static const struct opt opts[] = {
	{ "output", 'o', OPT_STR, &o.output, "FILE", "the trace; '-' is stdout", NULL },
	{ "force", 0, OPT_FLAG, &o.force, NULL, "overwrite FILE if it exists", NULL },
	{ "rotate", 0, OPT_NS, &o.rotate_ns, "TIME", "go on in a new file so often; the time stands in the names", NULL },
	{ "rotate-size", 0, OPT_COUNT, &o.rotate_size, "BYTES", "go on in a new file when one is so large", NULL },
	{ "rotate-grace", 0, OPT_NS, &o.rotate_grace_ns, "TIME", "an old file waits so long for its exchanges (default 10m)", NULL },
	{ "queue", 0, OPT_COUNT, &o.queue, "BYTES", "records that may wait for a slow disk (default 64M)", NULL },
	{ "drain-timeout", 0, OPT_NS, &o.drain_timeout_ns, "TIME", "SIGTERM lets exchanges end for so long (default 30s)", NULL },
	{ "no-text", 0, OPT_FLAG, &o.no_text, NULL, "keep lengths and digests, not prompt and output text", NULL },
	{ "salt-file", 0, OPT_STR, &o.salt_file, "FILE", "key of hashes, to compare traces (default: random for each)", NULL },
	{ "sample", 0, OPT_STR, &o.sample, "SHARE", "record so many of the sessions, 10% or 0.1 (default all)", NULL },
	{ "redact", 0, OPT_STRS, &o.redact, "RULE", "blot out JSON fields: user, metadata.*, messages[].content, **.email", NULL },
	{ "redact-file", 0, OPT_STRS, &o.redact_files, "FILE", "the same, a rule a line", NULL },
	{ "requests", 'n', OPT_COUNT, &o.requests, "N", "end after N recorded exchanges", NULL },
	{ "metrics", 0, OPT_STR, &o.metrics, "[HOST:]PORT", "serve /metrics (Prometheus) and /healthz there", NULL },
	{ "watch", 'w', OPT_FLAG, &o.watch, NULL, "a live view on stderr, each second", NULL },
	{ "quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no summary on stderr", NULL },
	{ "verbose", 'v', OPT_FLAG, &o.verbose, NULL, "a line on stderr per request", NULL },
	{ NULL, 0, OPT_FLAG, NULL, NULL, NULL, NULL },
};

static void parse(int argc, char **argv)
{
	struct opt rows[ROWS_MAX] = { { .name = NULL } };
	const struct opt_tool tool = {
		"tokrecord", "[options] --upstream URL -o FILE",
		"Recording reverse proxy: clients talk to it, it talks to the engine, every stream is kept with its times.",
		rows, 0, 0,
	};
	size_t n = options_net_rows(&o.net, rows);

	memcpy(rows + n, opts, sizeof(opts));
	opt_parse(&tool, argc, argv);
}

/* What the trace's header borrows. */
struct header_store {
	struct kv target[1], run[2];
	struct buf url;
	char bytes[32];
};

/* The settings that decide what the trace can be used for. */
static struct kvs run_settings(struct header_store *s)
{
	size_t n = 0;

	if (o.sample)
		s->run[n++] = (struct kv){ str_of("sample"), str_of(o.sample) };
	snprintf(s->bytes, sizeof(s->bytes), "%d", BLOCK_BYTES);
	if (o.no_text)
		s->run[n++] = (struct kv){ str_of("block_bytes"), str_of(s->bytes) };
	return (struct kvs){ s->run, n };
}

/* What the header says besides where the trace comes from. */
static void fill_header(struct rec_header *h, const struct trace_origin *origin, struct header_store *s)
{
	struct record rec;

	record_init(&rec, REC_HEADER);
	*h = rec.u.header;
	trace_origin_fill(origin, h);
	buf_init(&s->url, 1 << 16);
	engines_show(&o.net.engines, &s->url);
	buf_cstr(&s->url);
	s->target[0] = (struct kv){ str_of("url"), buf_str(&s->url) };
	h->target = (struct kvs){ s->target, 1 };
	h->run = run_settings(s);
	h->no_text = o.no_text;
}

static struct run_opts run_opts_of(const struct rec_header *h, const struct keep_opts *keep)
{
	struct run_opts ro = {
		.proxy = {
			.epoch_ns = h->epoch_mono_ns, .stop_after = o.requests, .keep = *keep, .verbose = o.verbose,
		},
		.capture = {
			.epoch_ns = h->epoch_mono_ns, .part_ns = 400 * NS_PER_MS,
			.keep_idle_ns = KEEP_IDLE_S * NS_PER_S,
		},
		.recorder = {
			.path = o.output, .header = h, .queue_bytes = o.queue, .force = o.force,
			.rotate = { o.rotate_ns, o.rotate_size }, .grace_ns = o.rotate_grace_ns,
		},
		.shown_upstream = h->target.v[0].value.p, .metrics = o.metrics, .drain_ns = o.drain_timeout_ns,
		.quiet = o.quiet, .watch = o.watch,
	};

	options_net_fill(&o.net, &ro.proxy, &ro.capture);
	return ro;
}

/* What may be kept; a rule that cannot be read must not pass for one that holds. */
static void open_keep(struct keep_opts *k, struct redact *rules)
{
	struct err e;

	*k = (struct keep_opts){ .no_text = o.no_text, .redact = rules, .share = 1 };
	if (o.sample && sample_parse(o.sample, &k->share) < 0)
		opt_usage("--sample: '%s' is not a share like '10%%' or '0.1'", o.sample);
	for (size_t i = 0; i < o.redact.n; i++)
		if (redact_add(rules, o.redact.v[i], &e) < 0)
			opt_usage("--redact: %s", e.msg);
	for (size_t i = 0; i < o.redact_files.n; i++)
		if (redact_add_file(rules, o.redact_files.v[i], &e) < 0)
			opt_usage("--redact-file: %s", e.msg);
	k->salt = salt_load(o.salt_file, &e);
	if (!k->salt)
		die(EXIT_FAILED, "--salt-file: %s", e.msg);
}

static void check_usage(void)
{
	options_net_check(&o.net);
	if (o.watch && o.verbose)
		opt_usage("--watch and --verbose write over each other: give one of them");
	if (!o.output)
		opt_usage("-o is needed: the trace file, or '-' for stdout");
	if (strcmp(o.output, "-") == 0 && (o.rotate_ns > 0 || o.rotate_size > 0))
		opt_usage("--rotate needs -o FILE: stdout cannot be rotated");
}

/* Too few descriptors are better known now than in the middle of the day. */
static void check_capacity(struct proxy_opts *p)
{
	struct err e;
	bool low;

	p->fd_limit = capacity_raise_limit();
	p->max_streams = capacity_streams(p->fd_limit, p->max_streams, &low, &e);
	if (p->max_streams < 0)
		die(EXIT_FAILED, "%s", e.msg);
	if (low)
		warn("the limit of %lld file descriptors allows %lld streams at once: raise it (ulimit -n) for more",
		     (long long)p->fd_limit, (long long)p->max_streams);
}

int main(int argc, char **argv)
{
	struct trace_origin *origin = trace_origin_create(argc, argv);
	struct redact *rules = redact_create();
	struct header_store store;
	struct rec_header header;
	struct keep_opts keep;
	struct run_opts ro;
	int code;

	parse(argc, argv);
	check_usage();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is a disk that is full */
	if (!origin || !rules)
		die(EXIT_FAILED, "out of memory");
	open_keep(&keep, rules);
	fill_header(&header, origin, &store);
	ro = run_opts_of(&header, &keep);
	check_capacity(&ro.proxy);
	code = run(&ro);
	buf_release(&store.url);
	options_net_release(&o.net);
	mac_free(keep.salt);
	redact_free(rules);
	trace_origin_free(origin);
	return code;
}
