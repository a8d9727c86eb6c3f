#include <config.h>

#include "record/loop.h"

#include <math.h>

#include "formats/base/clock.h"

enum {
	LAG_MS = 50, /* how often the loop's own lateness is looked at */
	CONNECTIONS_KEPT = 65536,
};

void loop_arm(struct event *ev, int64_t ns)
{
	struct timeval tv = { ns / NS_PER_S, ns % NS_PER_S / NS_PER_US };

	evtimer_add(ev, &tv);
}

static void collect(struct loop *l)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(l->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			l->on_finished(l->arg, m->easy_handle, m->data.result);
}

static void action(struct loop *l, curl_socket_t fd, int mask)
{
	int running;

	l->in_curl = true;
	curl_multi_socket_action(l->multi, fd, mask, &running);
	l->in_curl = false;
	collect(l);
}

static void on_socket(evutil_socket_t fd, short what, void *arg)
{
	action(arg, fd, ((what & EV_READ) ? CURL_CSELECT_IN : 0) | ((what & EV_WRITE) ? CURL_CSELECT_OUT : 0));
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	action(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	struct loop *l = arg;
	struct event *ev = socket_arg;
	short mask = (short)(((what & CURL_POLL_IN) ? EV_READ : 0) |
			     ((what & CURL_POLL_OUT) ? EV_WRITE : 0) | EV_PERSIST);

	(void)easy;
	if (ev) {
		event_free(ev);
		curl_multi_assign(l->multi, fd, NULL);
	}
	if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE)
		return 0;
	ev = event_new(l->base, fd, mask, on_socket, l);
	if (!ev || event_add(ev, NULL) < 0)
		return -1;
	curl_multi_assign(l->multi, fd, ev);
	return 0;
}

static int want_timer(CURLM *multi, long ms, void *arg)
{
	struct loop *l = arg;

	(void)multi;
	if (ms < 0)
		evtimer_del(l->timer);
	else
		loop_arm(l->timer, ms * NS_PER_MS);
	return 0;
}

static void on_lag(evutil_socket_t fd, short what, void *arg)
{
	struct loop *l = arg;
	int64_t t = clock_mono_ns();

	(void)fd, (void)what;
	if (t - l->lag_due_ns > l->lag_max_ns)
		l->lag_max_ns = t - l->lag_due_ns;
	l->lag_due_ns = t + LAG_MS * NS_PER_MS;
	loop_arm(l->lag, LAG_MS * NS_PER_MS);
}

static CURLM *make_multi(struct loop *l)
{
	CURLM *multi = curl_multi_init();

	if (!multi)
		return NULL;
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, l);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, want_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, l);
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
	curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)l->max_connections);
	return multi;
}

int loop_init(struct loop *l, struct event_base *base, size_t max_connections,
	      void (*on_finished)(void *arg, CURL *easy, CURLcode rc), void *arg)
{
	*l = (struct loop){ .base = base, .max_connections = max_connections, .on_finished = on_finished, .arg = arg };
	curl_global_init(CURL_GLOBAL_DEFAULT);
	l->timer = evtimer_new(base, on_timer, l);
	l->lag = evtimer_new(base, on_lag, l);
	l->multi = l->timer && l->lag ? make_multi(l) : NULL;
	if (!l->multi) {
		loop_release(l);
		return -1;
	}
	loop_take_cpu_share(l);
	l->lag_due_ns = clock_mono_ns() + LAG_MS * NS_PER_MS;
	loop_arm(l->lag, LAG_MS * NS_PER_MS);
	return 0;
}

int loop_close_idle(struct loop *l)
{
	CURLM *fresh = make_multi(l);

	if (!fresh)
		return -1;
	curl_multi_cleanup(l->multi);
	l->multi = fresh;
	return 0;
}

void loop_release(struct loop *l)
{
	/* curl takes its sockets' events down through want_socket(). */
	if (l->multi)
		curl_multi_cleanup(l->multi);
	if (l->timer)
		event_free(l->timer);
	if (l->lag)
		event_free(l->lag);
	*l = (struct loop){ .base = NULL };
}

void loop_kick(struct loop *l)
{
	if (!l->in_curl)
		action(l, CURL_SOCKET_TIMEOUT, 0);
}

void loop_unpause(struct loop *l, CURL *easy)
{
	l->in_curl = true;
	curl_easy_pause(easy, CURLPAUSE_CONT);
	l->in_curl = false;
	action(l, CURL_SOCKET_TIMEOUT, 0);
}

double loop_take_cpu_share(struct loop *l)
{
	int64_t cpu = clock_thread_cpu_ns(), t = clock_mono_ns();
	int64_t used = cpu - l->cpu_ns, passed = t - l->cpu_looked_ns;

	l->cpu_ns = cpu;
	l->cpu_looked_ns = t;
	return passed > 0 ? (double)used / (double)passed : NAN;
}

int64_t loop_take_lag_ns(struct loop *l)
{
	int64_t max = l->lag_max_ns;

	l->lag_max_ns = 0;
	return max;
}
