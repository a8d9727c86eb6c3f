/*
 * When connections were accepted: a client that opens a connection for a request begins
 * its clock before that, so what counts from the begin of such a request counts from here.
 */
#ifndef REPLAY_ACCEPTED_H
#define REPLAY_ACCEPTED_H

#include <stdint.h>

struct bufferevent;

/* Of more new connections than this at once, the oldest are forgotten. */
enum { ACCEPTED_MAX = 1024 };

struct accepted {
	struct accepted_one {
		const struct bufferevent *conn;
		int64_t t_ns;
	} ring[ACCEPTED_MAX];
	unsigned next;
};

void accepted_note(struct accepted *a, const struct bufferevent *conn, int64_t t_ns);
/*
 * When the request that was read at now_ns began: the accept of its connection, if this is
 * the first request there and followed at once (within 20 ms); else now_ns.
 */
int64_t accepted_begin(struct accepted *a, const struct bufferevent *conn, int64_t now_ns);

#endif
