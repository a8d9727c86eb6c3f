#include <config.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "formats/base/opt.h"
#include "formats/base/secret.h"
#include "record/run.h"

static struct {
	const char *listen, *upstream, *output;
	int64_t max_body, connect_timeout_ns, idle_timeout_ns, requests;
	int64_t queue, rotate_ns, rotate_size, rotate_grace_ns, drain_timeout_ns;
	bool no_text, quiet, verbose, force;
} o = {
	.listen = "127.0.0.1:9000", .max_body = 64 << 20, .connect_timeout_ns = 30 * NS_PER_S,
	.requests = COUNT_NONE, .queue = 64 << 20, .rotate_grace_ns = 600 * NS_PER_S, .drain_timeout_ns = 30 * NS_PER_S,
};

static const struct opt opts[] = {
	{ "listen", 'l', OPT_STR, &o.listen, "HOST:PORT", "where clients connect (default 127.0.0.1:9000; port 0: any)", NULL },
	{ "upstream", 'u', OPT_STR, &o.upstream, "URL", "the engine, http://127.0.0.1:8000", NULL },
	{ "output", 'o', OPT_STR, &o.output, "FILE", "the trace; '-' is stdout", NULL },
	{ "force", 0, OPT_FLAG, &o.force, NULL, "overwrite FILE if it exists", NULL },
	{ "rotate", 0, OPT_NS, &o.rotate_ns, "TIME", "go on in a new file so often; the time stands in the names", NULL },
	{ "rotate-size", 0, OPT_COUNT, &o.rotate_size, "BYTES", "go on in a new file when one is so large", NULL },
	{ "rotate-grace", 0, OPT_NS, &o.rotate_grace_ns, "TIME", "an old file waits so long for its exchanges (default 10m)", NULL },
	{ "queue", 0, OPT_COUNT, &o.queue, "BYTES", "records that may wait for a slow disk (default 64M)", NULL },
	{ "drain-timeout", 0, OPT_NS, &o.drain_timeout_ns, "TIME", "SIGTERM lets exchanges end for so long (default 30s)", NULL },
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

/* What the header says besides where the trace comes from; the strings live as long as main(). */
static void fill_header(struct rec_header *h, const struct trace_origin *origin, struct kv *target, struct buf *url)
{
	struct record rec;

	record_init(&rec, REC_HEADER);
	*h = rec.u.header;
	trace_origin_fill(origin, h);
	secret_scrub_url(str_of(o.upstream), url);
	*target = (struct kv){ str_of("url"), buf_str(url) };
	h->target = (struct kvs){ target, 1 };
	h->no_text = o.no_text;
}

static struct run_opts run_opts_of(const struct rec_header *h)
{
	return (struct run_opts){
		.proxy = {
			.listen = o.listen, .upstream = o.upstream, .max_body = o.max_body, .epoch_ns = h->epoch_mono_ns,
			.stop_after = o.requests, .no_text = o.no_text, .verbose = o.verbose,
		},
		.capture = {
			.epoch_ns = h->epoch_mono_ns, .connect_timeout_ns = o.connect_timeout_ns,
			.idle_timeout_ns = o.idle_timeout_ns, .part_ns = 400 * NS_PER_MS, .no_text = o.no_text,
		},
		.recorder = {
			.path = o.output, .header = h, .queue_bytes = o.queue, .force = o.force,
			.rotate = { o.rotate_ns, o.rotate_size }, .grace_ns = o.rotate_grace_ns,
		},
		.drain_ns = o.drain_timeout_ns, .quiet = o.quiet,
	};
}

static void check_usage(void)
{
	if (!o.upstream)
		opt_usage("--upstream is needed: the engine's URL, http://127.0.0.1:8000");
	if (strncmp(o.upstream, "http://", 7) != 0 && strncmp(o.upstream, "https://", 8) != 0)
		opt_usage("--upstream: '%s' is not a URL like http://127.0.0.1:8000", o.upstream);
	if (!o.output)
		opt_usage("-o is needed: the trace file, or '-' for stdout");
	if (strcmp(o.output, "-") == 0 && (o.rotate_ns > 0 || o.rotate_size > 0))
		opt_usage("--rotate needs -o FILE: stdout cannot be rotated");
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
	struct rec_header header;
	struct run_opts ro;
	struct kv target;
	struct buf url;
	int code;

	opt_parse(&tool, argc, argv);
	check_usage();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is a disk that is full */
	raise_file_limit();
	if (!origin)
		die(EXIT_FAILED, "out of memory");
	buf_init(&url, 1 << 16);
	fill_header(&header, origin, &target, &url);
	ro = run_opts_of(&header);
	code = run(&ro);
	buf_release(&url);
	trace_origin_free(origin);
	return code;
}
