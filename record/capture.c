/*
 * Exchanges in flight.  Ends are worked off in one place, ended(), reached from an event
 * of its own, so that no callback of ours ever runs inside capture_start() or inside a
 * callback of curl's.
 */
#include <config.h>

#include "record/capture.h"

#include <stdlib.h>
#include <string.h>

#include "record/head.h"
#include "record/loop.h"
#include "record/response.h"
#include "record/transfer.h"

enum {
	PART_EVENTS = 4096, PART_TEXT = 1 << 19,
	LINGER_MS = 10,       /* after the end marker, for the connection to end and be used again */
};

struct capture_pool {
	struct capture_opts o;
	struct loop loop;
	struct event *work, *parts;
	struct capture *all;
	int64_t events, coalesced; /* of exchanges that have ended, since the last look */
};

struct capture {
	struct capture_pool *pool;
	struct capture *next, *prev;
	struct capture_request q;
	CURL *easy;
	struct curl_slist *headers;
	struct response res;
	struct event *idle, *linger;
	struct head head;
	bool pause_wanted, paused, over;
	enum transfer_end end;
	char *why;            /* of a cancellation */
	int64_t start_ns, last_byte_ns;
	char curl_error[CURL_ERROR_SIZE];
};

static int64_t now(const struct capture_pool *p)
{
	return clock_mono_ns() - p->o.epoch_ns;
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

/* From here on curl knows nothing of it, nor of the caller's body. */
static void free_transfer(struct capture *c)
{
	if (c->easy) {
		curl_multi_remove_handle(c->pool->loop.multi, c->easy);
		curl_easy_cleanup(c->easy);
	}
	curl_slist_free_all(c->headers);
	c->easy = NULL;
	c->headers = NULL;
}

static void free_capture(struct capture *c)
{
	unlink_capture(c);
	free_transfer(c);
	if (c->idle)
		event_free(c->idle);
	if (c->linger)
		event_free(c->linger);
	response_release(&c->res);
	head_release(&c->head);
	free(c->why);
	free(c);
}

static void connection_facts(struct capture *c)
{
	curl_off_t connected_us = 0;
	long fresh = 0;

	curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &fresh);
	curl_easy_getinfo(c->easy, CURLINFO_CONNECT_TIME_T, &connected_us);
	c->res.rec.reused_connection = fresh == 0 && c->head.done;
	if (fresh > 0 && connected_us > 0)
		c->res.rec.connect_ns = c->start_ns + connected_us * NS_PER_US;
}

static void ended(struct capture *c)
{
	const char *text = c->why ? c->why : *c->curl_error ? c->curl_error : NULL;
	bool clean = c->end == END_CLEAN;

	connection_facts(c);
	free_transfer(c);
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

static void on_finished(void *arg, CURL *easy, CURLcode rc)
{
	struct capture *c = NULL;

	(void)arg;
	curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&c);
	over(c, transfer_end_of(easy, rc, c->head.done));
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

static int head_complete(struct capture *c, long status)
{
	const char *type;

	if (head_finish(&c->head) < 0)
		return -1;
	type = head_value(c->head.lines, c->head.n, "Content-Type");
	response_head(&c->res, status, str_of(type), c->last_byte_ns);
	if (c->q.on_head)
		c->q.on_head(c->q.arg, status, head_reason(&c->head), c->head.lines, c->head.n, c->last_byte_ns);
	return 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct capture *c = arg;
	size_t len = size * n;
	long status = 0;

	c->last_byte_ns = now(c->pool);
	if (c->head.done)
		return len; /* trailers */
	if (len && *p != '\r' && *p != '\n')
		return head_line(&c->head, p, len) < 0 ? 0 : len;
	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && head_complete(c, status) < 0)
		return 0;
	return len;
}

static void after_end_marker(struct capture *c)
{
	/* A proxy passes on whatever follows until the connection ends. */
	if (!c->q.raw_passthrough && response_done(&c->res) && !event_pending(c->linger, EV_TIMEOUT, NULL))
		loop_arm(c->linger, LINGER_MS * NS_PER_MS);
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
		loop_arm(c->idle, left);
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
	p->o = *o;
	if (p->o.part_ns <= 0)
		p->o.part_ns = 500 * NS_PER_MS;
	if (loop_init(&p->loop, base, o->max_connections, on_finished, p) < 0)
		goto fail;
	p->work = evtimer_new(base, on_work, p);
	p->parts = event_new(base, -1, EV_PERSIST, on_parts, p);
	if (!p->work || !p->parts)
		goto fail;
	every = (struct timeval){ p->o.part_ns / NS_PER_S, p->o.part_ns % NS_PER_S / NS_PER_US };
	event_add(p->parts, &every);
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
	loop_release(&p->loop);
	if (p->work)
		event_free(p->work);
	if (p->parts)
		event_free(p->parts);
	free(p);
}

void capture_pool_health(struct capture_pool *p, struct rec_client *out)
{
	out->loop_lag_max_ns = loop_take_lag_ns(&p->loop);
	out->events = p->events;
	out->coalesced = p->coalesced;
	for (struct capture *c = p->all; c; c = c->next) {
		out->events += c->res.n_events;
		out->coalesced += c->res.n_coalesced;
		c->res.n_events = c->res.n_coalesced = 0;
	}
	p->events = p->coalesced = 0;
}

static void remember_secrets(struct capture *c)
{
	for (const char *const *h = c->q.headers; h && *h; h++)
		secrets_add_header(&c->res.secrets, *h);
	secrets_add_url(&c->res.secrets, c->q.url);
}

/* NULL: out of memory. */
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
	head_init(&c->head);
	c->idle = evtimer_new(p->loop.base, on_idle, c);
	c->linger = evtimer_new(p->loop.base, on_linger, c);
	c->easy = transfer_create(r, &p->o, &(struct transfer_calls){ on_header, on_body, c, c->curl_error },
				  &c->headers);
	if (response_init(&c->res, r->id, r->api, p->o.no_text) < 0 || !c->idle || !c->linger || !c->easy) {
		free_capture(c);
		return NULL;
	}
	remember_secrets(c);
	return c;
}

struct capture *capture_start(struct capture_pool *p, const struct capture_request *r, int64_t *sent_ns, struct err *e)
{
	struct capture *c = new_capture(p, r);

	if (!c) {
		err_set(e, "out of memory");
		return NULL;
	}
	c->start_ns = c->last_byte_ns = *sent_ns = now(p);
	if (curl_multi_add_handle(p->loop.multi, c->easy) != CURLM_OK) {
		free_capture(c);
		err_set(e, "libcurl does not take the request");
		return NULL;
	}
	if (p->o.idle_timeout_ns > 0)
		loop_arm(c->idle, p->o.idle_timeout_ns);
	/* Else the request would wait for the loop's next turn, and TTFT with it. */
	loop_kick(&p->loop);
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
	if (c->pool->loop.in_curl)
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
	loop_unpause(&c->pool->loop, c->easy);
}
