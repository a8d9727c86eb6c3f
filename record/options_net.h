/*
 * Options of tokrecord that say where it listens, whom it talks to and how much it takes.
 */
#ifndef RECORD_OPTIONS_NET_H
#define RECORD_OPTIONS_NET_H

#include "formats/base/opt.h"
#include "record/capture.h"
#include "record/proxy.h"

struct options_net {
	const char *listen;
	struct opt_strs upstreams;
	const char *cacert, *cert, *key;
	bool insecure;
	int64_t max_body, max_streams;     /* max_streams COUNT_NONE: as many as can be */
	int64_t connect_timeout_ns, idle_timeout_ns;
	struct engines engines;            /* filled by the check */
};

/* Its rows of the table, defaults set; how many. */
size_t options_net_rows(struct options_net *o, struct opt *rows);
/* Mistakes exit with 2; warns of what is dangerous. */
void options_net_check(struct options_net *o);
void options_net_release(struct options_net *o);

/* What it says to the proxy and to the capture; borrowed from o. */
void options_net_fill(struct options_net *o, struct proxy_opts *p, struct capture_opts *c);

#endif
