#include <config.h>

#include "replay/accepted.h"

#include <stddef.h>

#include "formats/base/clock.h"

/* A connection that idled longer was opened ahead of its request. */
static const int64_t at_once_ns = 20 * NS_PER_MS;

void accepted_note(struct accepted *a, const struct bufferevent *conn, int64_t t_ns)
{
	a->ring[a->next++ % ACCEPTED_MAX] = (struct accepted_one){ conn, t_ns };
}

int64_t accepted_begin(struct accepted *a, const struct bufferevent *conn, int64_t now_ns)
{
	/* Newest first: an address may have been used before. */
	for (unsigned i = 1; i <= ACCEPTED_MAX; i++) {
		struct accepted_one *o = &a->ring[(a->next - i) % ACCEPTED_MAX];

		if (o->conn != conn)
			continue;
		o->conn = NULL;
		return now_ns - o->t_ns <= at_once_ns ? o->t_ns : now_ns;
	}
	return now_ns;
}
