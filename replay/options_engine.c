#include <config.h>

#include "replay/options_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "replay/crew.h"
#include "replay/launch.h"

enum { KEY_ROOM = 1 << 16 };

size_t options_engine_rows(struct options_engine *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "base-url", 0, OPT_STR, &o->base_url, "URL", "the engine, with or without /v1", NULL },
		{ "header", 0, OPT_STRS, &o->headers, "LINE", "'Name: value' to send with every request; repeatable", NULL },
		{ "api-key-env", 0, OPT_STR, &o->key_env, "NAME", "environment variable with the API key (default OPENAI_API_KEY)", NULL },
		{ "api-key-file", 0, OPT_STR, &o->key_file, "FILE", "file whose first line is the API key", NULL },
		{ "connect-timeout", 0, OPT_NS, &o->transport.connect_timeout_ns, "TIME", "until connected (default 10s; 0: none)", NULL },
		{ "first-token-timeout", 0, OPT_NS, &o->transport.first_token_timeout_ns, "TIME", "from the request to its first token (default: none)", NULL },
		{ "idle-timeout", 0, OPT_NS, &o->transport.idle_timeout_ns, "TIME", "without a byte (default 600s; 0: none)", NULL },
		{ "total-timeout", 0, OPT_NS, &o->transport.total_timeout_ns, "TIME", "for a whole request (default: none)", NULL },
		{ "cacert", 0, OPT_STR, &o->transport.cacert, "FILE", "PEM file of certificates to trust, instead of the system's", NULL },
		{ "insecure", 0, OPT_FLAG, &o->transport.insecure, NULL, "trust any certificate", NULL },
		{ "http2", 0, OPT_FLAG, &o->transport.http2, NULL, "speak HTTP/2, many streams on a connection", NULL },
		{ "preconnect", 0, OPT_COUNT, &o->preconnect, "N", "connections to open before each phase (default: one for each slot of -c)", NULL },
		{ "threads", 0, OPT_COUNT, &o->threads, "N", "event loops, each on a thread of its own (default 1)", NULL },
		{ "probe", 0, OPT_FLAG, &o->probe, NULL, "ask the engine for its model and version first", NULL },
	};

	*o = (struct options_engine){
		.key_env = "OPENAI_API_KEY", .preconnect = COUNT_NONE, .threads = 1,
		.transport = { .connect_timeout_ns = 10 * NS_PER_S, .idle_timeout_ns = 600 * NS_PER_S },
	};
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_engine_target(const struct options_engine *o, struct target *t)
{
	struct buf key;
	struct err e;

	if (o->threads < 1 || o->threads > CREW_THREADS_MAX)
		opt_usage("--threads: must be 1 to %d", CREW_THREADS_MAX);
	if (o->transport.cacert && access(o->transport.cacert, R_OK) != 0)
		die(EXIT_FAILED, "--cacert: %s: %s", o->transport.cacert, strerror(errno));
	if (o->transport.insecure)
		warn("--insecure: nobody knows who answers, and the API key goes to them");
	buf_init(&key, KEY_ROOM);
	if (launch_api_key(o->key_file, o->key_env, &key, &e) < 0)
		die(EXIT_FAILED, "%s", e.msg);
	if (target_init(t, o->base_url, o->headers.v, o->headers.n, buf_cstr(&key), &e) < 0)
		opt_usage("%s", e.msg);
	t->transport = o->transport;
	buf_release(&key);
}

void options_engine_release(struct options_engine *o)
{
	free(o->headers.v);
}
