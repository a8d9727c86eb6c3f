#include <config.h>

#include "record/crowd.h"

#include <errno.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/err.h"

#define WARN_NS (10 * NS_PER_S)
#define TICK_US 100000

static void warn_rarely(struct crowd *c, const char *what)
{
	int64_t now = clock_mono_ns();

	if (c->warned_ns != NS_NONE && now - c->warned_ns < WARN_NS)
		return;
	c->warned_ns = now;
	warn("%s: raise the limit on file descriptors (ulimit -n) or --max-streams; %lld streams run", what,
	     (long long)c->running);
}

/* libevent gives us no argument of our own here: on_tick() does the rest. */
static void on_accept_error(struct evconnlistener *l, void *http)
{
	(void)http;
	evconnlistener_disable(l);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct crowd *c = arg;
	int probe;

	(void)fd, (void)what;
	if (!c->listener)
		return;
	probe = dup(evconnlistener_get_fd(c->listener));
	if (probe < 0 && (errno == EMFILE || errno == ENFILE)) {
		warn_rarely(c, "no file descriptor is left; new clients wait");
		return;
	}
	if (probe >= 0)
		close(probe);
	evconnlistener_enable(c->listener);
}

int crowd_watch(struct crowd *c, struct event_base *base, struct evconnlistener *l)
{
	struct timeval every = { 0, TICK_US };

	c->listener = l;
	c->warned_ns = NS_NONE;
	c->tick = event_new(base, -1, EV_PERSIST, on_tick, c);
	if (!c->tick)
		return -1;
	event_add(c->tick, &every);
	evconnlistener_set_error_cb(l, on_accept_error);
	return 0;
}

void crowd_unwatch(struct crowd *c)
{
	if (c->tick)
		event_free(c->tick);
	c->tick = NULL;
	c->listener = NULL;
}

const struct refusal *crowd_refusal(struct crowd *c, int fd)
{
	static const struct refusal full = {
		503, "overloaded", "tokrecord: as many streams run as it may serve; try again"
	};

	if (c->running < c->max_streams && fd < c->last_fd)
		return NULL;
	warn_rarely(c, c->running < c->max_streams ? "few file descriptors are left; requests get status 503"
						   : "more streams than may be; requests get status 503");
	return &full;
}
