/*
 * The last connections of a server that is ending: found among the process's descriptors by
 * the port that they came in at, so that serving itself keeps no books on them.
 */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Shuts the reading side of each connection to the local port that is idle: not busy[fd],
 * and without a byte for DRAIN_IDLE_MS; its server sees the end of the stream and closes it.
 * Returns how many connections there still are, the shut ones included.
 */
int drain_idle(uint16_t port, const bool *busy, size_t n_busy);

enum { DRAIN_IDLE_MS = 100 };

#endif
