/*
 * tokserve's profile mode: the engine model behind HTTP, in real time or a multiple of it.
 */
#ifndef REPLAY_SIM_H
#define REPLAY_SIM_H

#include <event2/event.h>

#include "replay/httpd.h"
#include "replay/profile.h"

struct sim;

struct sim_opts {
	const struct profile *profile; /* copied */
	uint64_t seed;
	double speed;             /* virtual seconds per real one */
	const char *model;        /* borrowed */
};

/* NULL: out of memory. */
struct sim *sim_create(struct event_base *base, const struct sim_opts *o);
/* After httpd_free(). */
void sim_free(struct sim *s);
void sim_backend(struct sim *s, struct httpd_backend *out);

#endif
