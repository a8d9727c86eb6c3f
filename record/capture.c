/*
 * libcurl's multi socket interface on a libevent loop.  curl says which sockets and which
 * timer it wants; libevent says when they are due; each call into curl is one
 * curl_multi_socket_action().  (curl_multi_poll costs ten times as much per token.)
 *
 * Ends are worked off in one place, ended(), reached from an event of its own, so that no
 * callback of ours ever runs inside capture_start() or inside a callback of curl's.
 */
#include <config.h>

#include "record/capture.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/response.h"

enum {
	HEADERS_MAX = 1 << 18, HEADER_LINES = 256,
	PART_EVENTS = 4096, PART_TEXT = 1 << 19,
	LINGER_MS = 10,       /* after the end marker, for the connection to end and be used again */
	LAG_MS = 50,          /* how often the loop's own lateness is looked at */
	CONNECTIONS_KEPT = 65536,
};

struct capture_pool {
	struct event_base *base;
	struct capture_opts o;
	CURLM *multi;
	struct event *timer, *work, *parts, *lag;
	struct capture *all;
	int64_t lag_due_ns, lag_max_ns;
	int64_t events, coalesced;
	bool in_curl;         /* inside curl_multi_socket_action() */
};

struct capture {
	struct capture_pool *pool;
	struct capture *next, *prev;
	struct capture_request q;
	CURL *easy;
	struct curl_slist *headers;
	struct response res;
	struct event *idle, *linger;
	struct buf head;      /* header lines, NUL-separated */
	const char *lines[HEADER_LINES];
	size_t n_lines;
	bool head_done, pause_wanted, paused, over;
	enum transfer_end end;
	char *why;            /* of a cancellation */
	int64_t start_ns, last_byte_ns;
	char curl_error[CURL_ERROR_SIZE];
};

static int64_t now(const struct capture_pool *p)
{
	return clock_mono_ns() - p->o.epoch_ns;
}

static void arm(struct event *ev, int64_t ns)
{
	struct timeval tv = { ns / NS_PER_S, ns % NS_PER_S / NS_PER_US };

	evtimer_add(ev, &tv);
}

/* ---- the end of an exchange ---- */

/* Marks it; the rest happens in on_work(), outside of curl. */
static void over(struct capture *c, enum transfer_end end)
{
	if (c->over)
		return;
	c->over = true;
	c->end = end;
	event_active(c->pool->work, EV_TIMEOUT, 0);
}

static void unlink_capture(struct capture *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		c->pool->all = c->next;
	if (c->next)
		c->next->prev = c->prev;
}

static void free_capture(struct capture *c)
{
	unlink_capture(c);
	if (c->easy) {
		curl_multi_remove_handle(c->pool->multi, c->easy);
		curl_easy_cleanup(c->easy);
	}
	curl_slist_free_all(c->headers);
	if (c->idle)
		event_free(c->idle);
	if (c->linger)
		event_free(c->linger);
	response_release(&c->res);
	buf_release(&c->head);
	free(c->why);
	free(c);
}

static void connection_facts(struct capture *c)
{
	curl_off_t connected_us = 0;
	long fresh = 0;

	curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &fresh);
	curl_easy_getinfo(c->easy, CURLINFO_CONNECT_TIME_T, &connected_us);
	c->res.rec.reused_connection = fresh == 0 && c->head_done;
	if (fresh > 0 && connected_us > 0)
		c->res.rec.connect_ns = c->start_ns + connected_us * NS_PER_US;
}

static void ended(struct capture *c)
{
	const char *text = c->why ? c->why : *c->curl_error ? c->curl_error : NULL;
	bool clean = c->end == END_CLEAN;

	connection_facts(c);
	c->pool->events += c->res.n_events;
	c->pool->coalesced += c->res.n_coalesced;
	response_finish(&c->res, c->end, text, now(c->pool));
	if (c->q.on_record)
		c->q.on_record(c->q.arg, &c->res.rec);
	if (c->q.on_done)
		c->q.on_done(c->q.arg, &c->res.rec, clean);
	free_capture(c);
}

static void on_work(evutil_socket_t fd, short what, void *arg)
{
	struct capture_pool *p = arg;
	struct capture *c = p->all;

	(void)fd, (void)what;
	/* Callbacks may start and cancel others: begin again after each. */
	while (c) {
		if (!c->over) {
			c = c->next;
			continue;
		}
		ended(c);
		c = p->all;
	}
}

static enum transfer_end end_of(const struct capture *c, CURLcode rc)
{
	switch (rc) {
	case CURLE_OK: return END_CLEAN;
	case CURLE_COULDNT_CONNECT: return END_CONNECT;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY: return END_RESOLVE;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE: return END_TLS;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_HTTP2: return END_PROTOCOL;
	case CURLE_OPERATION_TIMEDOUT: {
		curl_off_t connected_us = 0;

		curl_easy_getinfo(c->easy, CURLINFO_CONNECT_TIME_T, &connected_us);
		return connected_us > 0 ? END_TOTAL_TIMEOUT : END_CONNECT_TIMEOUT;
	}
	default: return c->head_done ? END_CUT : END_NO_REPLY;
	}
}

static void collect(struct capture_pool *p)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(p->multi, &left))) {
		struct capture *c = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c);
		over(c, end_of(c, m->data.result));
	}
}

/* ---- curl <-> libevent ---- */

static void action(struct capture_pool *p, curl_socket_t fd, int mask)
{
	int running;

	p->in_curl = true;
	curl_multi_socket_action(p->multi, fd, mask, &running);
	p->in_curl = false;
	collect(p);
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
	struct capture_pool *p = arg;
	struct event *ev = socket_arg;
	short mask = (short)(((what & CURL_POLL_IN) ? EV_READ : 0) | ((what & CURL_POLL_OUT) ? EV_WRITE : 0) | EV_PERSIST);

	(void)easy;
	if (ev) {
		event_free(ev);
		curl_multi_assign(p->multi, fd, NULL);
	}
	if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE)
		return 0;
	ev = event_new(p->base, fd, mask, on_socket, p);
	if (!ev || event_add(ev, NULL) < 0)
		return -1;
	curl_multi_assign(p->multi, fd, ev);
	return 0;
}

static int want_timer(CURLM *multi, long ms, void *arg)
{
	struct capture_pool *p = arg;

	(void)multi;
	if (ms < 0)
		evtimer_del(p->timer);
	else
		arm(p->timer, ms * NS_PER_MS);
	return 0;
}

/* ---- bytes of one exchange ---- */

static void deliver_part(struct capture *c)
{
	if (c->over || !response_has_part(&c->res))
		return;
	if (c->q.on_record)
		c->q.on_record(c->q.arg, &c->res.rec);
	response_part_taken(&c->res);
}

static void on_parts(evutil_socket_t fd, short what, void *arg)
{
	struct capture_pool *p = arg;

	(void)fd, (void)what;
	for (struct capture *c = p->all; c; c = c->next)
		deliver_part(c);
}

static void on_lag(evutil_socket_t fd, short what, void *arg)
{
	struct capture_pool *p = arg;
	int64_t t = clock_mono_ns();

	(void)fd, (void)what;
	if (t - p->lag_due_ns > p->lag_max_ns)
		p->lag_max_ns = t - p->lag_due_ns;
	p->lag_due_ns = t + LAG_MS * NS_PER_MS;
	arm(p->lag, LAG_MS * NS_PER_MS);
}

static void head_complete(struct capture *c, int64_t t_ns)
{
	struct str type = { NULL, 0 };
	long status = 0;
	const char *p = c->head.p;

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	for (c->n_lines = 0; c->n_lines < HEADER_LINES && p && p < c->head.p + c->head.n; p += strlen(p) + 1) {
		c->lines[c->n_lines++] = p;
		if (strncasecmp(p, "content-type:", 13) == 0)
			type = str_of(p + 13 + strspn(p + 13, " \t"));
	}
	c->head_done = true;
	response_head(&c->res, status, type, t_ns);
	if (c->q.on_head)
		c->q.on_head(c->q.arg, status, c->lines, c->n_lines, t_ns);
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct capture *c = arg;
	size_t len = size * n, keep = len;
	long status = 0;

	c->last_byte_ns = now(c->pool);
	if (c->head_done)
		return len; /* trailers */
	while (keep && (p[keep - 1] == '\r' || p[keep - 1] == '\n'))
		keep--;
	if (len >= 5 && memcmp(p, "HTTP/", 5) == 0) {
		buf_clear(&c->head);
		return len;
	}
	if (keep == 0) {
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		if (status >= 200)
			head_complete(c, c->last_byte_ns);
		return len;
	}
	if (buf_add(&c->head, p, keep) < 0 || buf_add(&c->head, "", 1) < 0)
		return 0;
	return len;
}

static void after_end_marker(struct capture *c)
{
	/* A proxy passes on whatever follows until the connection ends. */
	if (!c->q.raw_passthrough && response_done(&c->res) && !event_pending(c->linger, EV_TIMEOUT, NULL))
		arm(c->linger, LINGER_MS * NS_PER_MS);
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct capture *c = arg;
	size_t len = size * n;
	int64_t t_ns = now(c->pool);

	if (c->over)
		return 0;
	if (c->pause_wanted) {
		c->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	c->last_byte_ns = t_ns;
	if (c->q.on_bytes && !c->q.on_bytes(c->q.arg, p, len, t_ns))
		c->pause_wanted = true;
	if (response_bytes(&c->res, p, len, t_ns) < 0 && !c->q.raw_passthrough) {
		over(c, END_OVERFLOW);
		return 0;
	}
	if (c->res.rec.events.n >= PART_EVENTS || c->res.rec.events.text.n >= PART_TEXT)
		deliver_part(c);
	if (c->res.body == BODY_STREAM)
		after_end_marker(c);
	return len;
}

static void on_linger(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	over(arg, END_CLEAN);
}

/* The timer is not moved at each byte: it looks at the last byte's time when it fires. */
static void on_idle(evutil_socket_t fd, short what, void *arg)
{
	struct capture *c = arg;
	int64_t left = c->last_byte_ns + c->pool->o.idle_timeout_ns - now(c->pool);

	(void)fd, (void)what;
	if (c->pause_wanted)
		left = c->pool->o.idle_timeout_ns; /* it is the client that is slow */
	if (left > 0)
		arm(c->idle, left);
	else
		over(c, END_IDLE_TIMEOUT);
}

/* ---- public ---- */

struct capture_pool *capture_pool_create(struct event_base *base, const struct capture_opts *o, struct err *e)
{
	struct capture_pool *p = calloc(1, sizeof(*p));
	struct timeval every;

	if (!p)
		goto fail;
	p->base = base;
	p->o = *o;
	if (p->o.part_ns <= 0)
		p->o.part_ns = 500 * NS_PER_MS;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	p->multi = curl_multi_init();
	p->timer = evtimer_new(base, on_timer, p);
	p->work = evtimer_new(base, on_work, p);
	p->lag = evtimer_new(base, on_lag, p);
	p->parts = event_new(base, -1, EV_PERSIST, on_parts, p);
	if (!p->multi || !p->timer || !p->work || !p->parts || !p->lag)
		goto fail;
	every = (struct timeval){ p->o.part_ns / NS_PER_S, p->o.part_ns % NS_PER_S / NS_PER_US };
	event_add(p->parts, &every);
	p->lag_due_ns = clock_mono_ns() + LAG_MS * NS_PER_MS;
	arm(p->lag, LAG_MS * NS_PER_MS);
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, want_timer);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
	curl_multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
	curl_multi_setopt(p->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)o->max_connections);
	return p;
fail:
	err_set(e, "out of memory");
	if (p)
		capture_pool_free(p);
	return NULL;
}

void capture_pool_free(struct capture_pool *p)
{
	while (p->all)
		capture_cancel(p->all, "the run ended");
	/* curl takes its sockets' events down through want_socket(). */
	if (p->multi)
		curl_multi_cleanup(p->multi);
	if (p->timer)
		event_free(p->timer);
	if (p->work)
		event_free(p->work);
	if (p->parts)
		event_free(p->parts);
	if (p->lag)
		event_free(p->lag);
	free(p);
}

void capture_pool_health(struct capture_pool *p, struct rec_client *out)
{
	out->loop_lag_max_ns = p->lag_max_ns;
	out->events = p->events;
	out->coalesced = p->coalesced;
	for (struct capture *c = p->all; c; c = c->next) {
		out->events += c->res.n_events;
		out->coalesced += c->res.n_coalesced;
		c->res.n_events = c->res.n_coalesced = 0;
	}
	p->lag_max_ns = p->events = p->coalesced = 0;
}

static int set_headers(struct capture *c)
{
	/* curl would otherwise wait a second for "100 Continue" before a large body. */
	static const char *const plain[] = { "Expect:", NULL };
	const char *const *lists[] = { plain, c->q.headers, NULL };

	for (int i = 0; lists[i]; i++) {
		for (const char *const *h = lists[i]; *h; h++) {
			struct curl_slist *l = curl_slist_append(c->headers, *h);

			if (!l)
				return -1;
			c->headers = l;
			secrets_add_header(&c->res.secrets, *h);
		}
		if (!c->q.headers)
			break;
	}
	secrets_add_url(&c->res.secrets, c->q.url);
	return 0;
}

static void set_method(struct capture *c)
{
	if (strcmp(c->q.method, "HEAD") == 0)
		curl_easy_setopt(c->easy, CURLOPT_NOBODY, 1L);
	else if (c->q.body.n || strcmp(c->q.method, "POST") == 0) {
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->q.body.n);
		curl_easy_setopt(c->easy, CURLOPT_COPYPOSTFIELDS, c->q.body.n ? c->q.body.p : "");
	}
	curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, c->q.method);
}

static void set_options(struct capture *c)
{
	const struct capture_opts *o = &c->pool->o;

	curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(c->easy, CURLOPT_URL, c->q.url);
	curl_easy_setopt(c->easy, CURLOPT_PATH_AS_IS, 1L);
	if (c->q.unix_socket)
		curl_easy_setopt(c->easy, CURLOPT_UNIX_SOCKET_PATH, c->q.unix_socket);
	curl_easy_setopt(c->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	/* A proxy from the environment would stand between the clock and the engine unseen. */
	curl_easy_setopt(c->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->curl_error);
	curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(o->connect_timeout_ns / NS_PER_MS));
	curl_easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)(o->total_timeout_ns / NS_PER_MS));
	set_method(c);
}

/* Everything but curl's own part; NULL if out of memory. */
static struct capture *new_capture(struct capture_pool *p, const struct capture_request *r)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->pool = p;
	c->q = *r;
	c->next = p->all;
	if (c->next)
		c->next->prev = c;
	p->all = c;
	buf_init(&c->head, HEADERS_MAX);
	c->idle = evtimer_new(p->base, on_idle, c);
	c->linger = evtimer_new(p->base, on_linger, c);
	if (response_init(&c->res, r->id, r->api, p->o.no_text) < 0 || !c->idle || !c->linger ||
	    set_headers(c) < 0) {
		free_capture(c);
		return NULL;
	}
	return c;
}

struct capture *capture_start(struct capture_pool *p, const struct capture_request *r, int64_t *sent_ns, struct err *e)
{
	struct capture *c = new_capture(p, r);
	CURL *easy = c ? curl_easy_init() : NULL;

	if (!easy) {
		if (c)
			free_capture(c);
		err_set(e, "out of memory");
		return NULL;
	}
	c->easy = easy;
	set_options(c);
	c->start_ns = c->last_byte_ns = *sent_ns = now(p);
	if (curl_multi_add_handle(p->multi, easy) != CURLM_OK) {
		c->easy = NULL;
		curl_easy_cleanup(easy);
		free_capture(c);
		err_set(e, "libcurl does not take the request");
		return NULL;
	}
	if (p->o.idle_timeout_ns > 0)
		arm(c->idle, p->o.idle_timeout_ns);
	/* Else the request would wait for the loop's next turn, and TTFT with it. */
	if (!p->in_curl)
		action(p, CURL_SOCKET_TIMEOUT, 0);
	return c;
}

void capture_cancel(struct capture *c, const char *why)
{
	if (!c->over) {
		c->end = END_CANCELLED;
		c->why = strdup(why);
	}
	c->over = true;
	/* Inside curl a handle cannot be taken away: on_work() does it. */
	if (c->pool->in_curl)
		event_active(c->pool->work, EV_TIMEOUT, 0);
	else
		ended(c);
}

void capture_resume(struct capture *c)
{
	c->pause_wanted = false;
	if (!c->paused || c->over)
		return;
	c->paused = false;
	c->pool->in_curl = true;
	curl_easy_pause(c->easy, CURLPAUSE_CONT);
	c->pool->in_curl = false;
	action(c->pool, CURL_SOCKET_TIMEOUT, 0);
}
