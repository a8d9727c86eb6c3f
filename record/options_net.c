#include <config.h>

#include "record/options_net.h"

#include <string.h>
#include <unistd.h>

size_t options_net_rows(struct options_net *o, struct opt *rows)
{
	const struct opt mine[] = {
		{ "listen", 'l', OPT_STR, &o->listen, "HOST:PORT", "where clients connect (default 127.0.0.1:9000; port 0: any)", NULL },
		{ "upstream", 'u', OPT_STRS, &o->upstreams, "[/PREFIX=]URL", "the engine, http://127.0.0.1:8000 or unix:/run/e.sock; several: by path, or in turn", NULL },
		{ "cacert", 0, OPT_STR, &o->cacert, "FILE", "trust these authorities for https upstreams (default: the system's)", NULL },
		{ "insecure", 0, OPT_FLAG, &o->insecure, NULL, "take any certificate of an upstream", NULL },
		{ "cert", 0, OPT_STR, &o->cert, "FILE", "serve clients over TLS with this certificate chain (PEM)", NULL },
		{ "key", 0, OPT_STR, &o->key, "FILE", "the certificate's key (PEM)", NULL },
		{ "max-streams", 0, OPT_COUNT, &o->max_streams, "N", "streams at once; more get status 503 (default: what the descriptor limit allows)", NULL },
		{ "max-body", 0, OPT_COUNT, &o->max_body, "BYTES", "largest request body (default 64M)", NULL },
		{ "connect-timeout", 0, OPT_NS, &o->connect_timeout_ns, "TIME", "for a connection to the engine (default 30s)", NULL },
		{ "idle-timeout", 0, OPT_NS, &o->idle_timeout_ns, "TIME", "without a byte from the engine (default 0: none)", NULL },
	};

	*o = (struct options_net){
		.listen = "127.0.0.1:9000", .max_body = 64 << 20, .max_streams = COUNT_NONE,
		.connect_timeout_ns = 30 * NS_PER_S,
	};
	memcpy(rows, mine, sizeof(mine));
	return sizeof(mine) / sizeof(*mine);
}

void options_net_check(struct options_net *o)
{
	struct err e;

	if (o->upstreams.n == 0)
		opt_usage("--upstream is needed: the engine's URL, http://127.0.0.1:8000");
	for (size_t i = 0; i < o->upstreams.n; i++)
		if (engines_add(&o->engines, o->upstreams.v[i], &e) < 0)
			opt_usage("--upstream: %s", e.msg);
	if (!o->cert != !o->key)
		opt_usage("--cert and --key belong together: give both");
	if (o->max_streams == 0)
		opt_usage("--max-streams: 0 streams would serve nobody");
	if (o->cacert && o->insecure)
		opt_usage("--cacert and --insecure contradict each other: give one of them");
	if (o->cacert && access(o->cacert, R_OK) < 0)
		opt_usage("--cacert: cannot read '%s'", o->cacert);
	if (o->insecure)
		warn("--insecure: the certificates of upstreams are not checked; anyone between can read and change what passes");
}

void options_net_release(struct options_net *o)
{
	engines_release(&o->engines);
}

void options_net_fill(struct options_net *o, struct proxy_opts *p, struct capture_opts *c)
{
	p->listen = o->listen;
	p->engines = &o->engines;
	p->cert = o->cert;
	p->key = o->key;
	p->max_body = o->max_body;
	p->max_streams = o->max_streams;
	c->connect_timeout_ns = o->connect_timeout_ns;
	c->idle_timeout_ns = o->idle_timeout_ns;
	c->cacert = o->cacert;
	c->insecure = o->insecure;
}
