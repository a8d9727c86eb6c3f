/*
 * libcurl's multi socket interface on a libevent loop: curl says which sockets and which
 * timer it wants, libevent says when they are due, and each call into curl is one
 * curl_multi_socket_action().  (curl_multi_poll costs ten times as much per token.)
 * Private to the capture.
 */
#ifndef RECORD_LOOP_H
#define RECORD_LOOP_H

#include <curl/curl.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop {
	struct event_base *base;
	size_t max_connections;
	CURLM *multi;
	struct event *timer, *lag;
	int64_t lag_due_ns, lag_max_ns;
	int64_t cpu_ns, cpu_looked_ns; /* the thread's CPU time, and when it was looked at */
	bool in_curl; /* a callback of curl's is running: handles cannot be added or taken away */

	void *arg;
	void (*on_finished)(void *arg, CURL *easy, CURLcode rc);
};

/* max_connections: 0, no cap.  on_finished() is never called inside curl.  0, or -1: out of memory. */
int loop_init(struct loop *l, struct event_base *base, size_t max_connections,
	      void (*on_finished)(void *arg, CURL *easy, CURLcode rc), void *arg);
void loop_release(struct loop *l);

/*
 * Closes the connections that are kept for the next request.  Only while no handle is
 * added: curl has no call for it, so its multi handle is made anew.  0, or -1: out of
 * memory, and nothing has changed.
 */
int loop_close_idle(struct loop *l);

/* Lets curl act at once instead of at the loop's next turn. */
void loop_kick(struct loop *l);
/* A handle that was paused goes on. */
void loop_unpause(struct loop *l, CURL *easy);
/* The loop's worst lateness since the last call, in ns. */
int64_t loop_take_lag_ns(struct loop *l);
/* The share of a core that the calling thread, which must be the loop's, has used since; NaN: no time has passed. */
double loop_take_cpu_share(struct loop *l);
/* Arms a timer event of libevent's. */
void loop_arm(struct event *ev, int64_t ns);

#endif
