/*
 * What an engine says of itself before a run: its models (/v1/models) and its version
 * (/version).  Optional and bounded: an engine that does not answer is no error here.
 */
#ifndef REPLAY_PROBE_H
#define REPLAY_PROBE_H

#include "formats/base/err.h"
#include "replay/target.h"

struct probe {
	char model[256];   /* first one offered, or "" */
	char engine[64];   /* its "owned_by", or "" */
	char version[64];  /* or "" */
};

/* Takes at most two seconds.  0, or -1: no event loop (out of memory). */
int probe_engine(const struct target *t, struct probe *out, struct err *e);

/* The pure parts: fill what the answers say. */
void probe_read_models(struct str json, struct probe *out);
void probe_read_version(struct str json, struct probe *out);

#endif
