/*
 * A server whose every token says when it was sent: the content of each chunk is its
 * CLOCK_MONOTONIC time in ns just before send().  The truth that a relay is measured against.
 */
#ifndef BENCH_PACED_H
#define BENCH_PACED_H

#include <stdint.h>

struct paced_opts {
	int64_t interval_ns; /* between the tokens of a stream */
	int tokens;          /* per stream */
};

/* Binds a port of loopback and returns the listening socket; *port is its number. */
int paced_listen(int *port);
/* Serves for ever: one thread, any number of streams, each on its own clock. */
void paced_serve(int listener, const struct paced_opts *o) __attribute__((noreturn));

#endif
