/*
 * Exchanges in flight, from begin to end.  Ends are worked off in one place, ended(),
 * reached from an event of its own, so that no callback of ours ever runs inside
 * capture_start() or inside a callback of curl's.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "record/exchange.h"

/* ---- the end of an exchange ---- */

/* Parts are delivered in turns: all exchanges at once would hold up the loop. */
enum { PART_TURNS = 16 };

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
	exchange_timers_free(c);
	response_release(&c->res);
	head_release(&c->head);
	free(c->why);
	free(c);
}

static void connection_facts(struct capture *c)
{
	struct transfer_facts f;
	bool fresh;

	transfer_facts_of(c->easy, &f);
	/* One that was opened before the run is as good as one used before. */
	fresh = f.fresh && !c->pre.taken;
	c->res.rec.reused_connection = !fresh && c->head.done;
	if (fresh && f.connected_ns != NS_NONE)
		c->res.rec.connect_ns = c->start_ns + f.connected_ns;
	c->res.rec.http_version = str_of(f.version);
}

static void ended(struct capture *c)
{
	const char *text = c->why ? c->why : *c->curl_error ? c->curl_error : NULL;
	bool clean = c->end == END_CLEAN;

	connection_facts(c);
	free_transfer(c);
	c->pool->events += c->res.n_events;
	c->pool->coalesced += c->res.n_coalesced;
	response_finish(&c->res, c->end, text, exchange_now(c->pool));
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
	exchange_over(c, transfer_end_of(easy, rc, c->head.done));
}

/* What an engine closes meanwhile would else stay half open until the next request. */
static void close_idle(struct capture_pool *p)
{
	int64_t t_ns = exchange_now(p);

	if (p->all)
		p->busy_ns = t_ns;
	if (p->o.keep_idle_ns > 0 && p->busy_ns != NS_NONE && t_ns - p->busy_ns >= p->o.keep_idle_ns &&
	    loop_close_idle(&p->loop) == 0)
		p->busy_ns = NS_NONE;
}

static void on_parts(evutil_socket_t fd, short what, void *arg)
{
	struct capture_pool *p = arg;

	(void)fd, (void)what;
	for (struct capture *c = p->all; c; c = c->next)
		if (c->turn == p->turn)
			exchange_deliver(c);
	p->turn = (p->turn + 1) % PART_TURNS;
	close_idle(p);
}

/* ---- public ---- */

struct capture_pool *capture_pool_create(struct event_base *base, const struct capture_opts *o, struct err *e)
{
	struct capture_pool *p = calloc(1, sizeof(*p));
	struct timeval every;
	int64_t turn_ns;

	if (!p)
		goto fail;
	p->o = *o;
	p->busy_ns = NS_NONE;
	if (p->o.part_ns <= 0)
		p->o.part_ns = 500 * NS_PER_MS;
	p->send_lag_max_ns = NS_NONE;
	if (loop_init(&p->loop, base, o->max_connections, on_finished, p) < 0)
		goto fail;
	p->work = evtimer_new(base, on_work, p);
	p->parts = event_new(base, -1, EV_PERSIST, on_parts, p);
	if (!p->work || !p->parts)
		goto fail;
	turn_ns = p->o.part_ns / PART_TURNS;
	every = (struct timeval){ turn_ns / NS_PER_S, turn_ns % NS_PER_S / NS_PER_US };
	event_add(p->parts, &every);
	return p;
fail:
	err_set(e, "out of memory");
	if (p)
		capture_pool_free(p);
	return NULL;
}

void capture_pool_cancel_all(struct capture_pool *p, const char *why)
{
	while (p->all)
		capture_cancel(p->all, why);
}

void capture_pool_free(struct capture_pool *p)
{
	capture_pool_cancel_all(p, "the run ended");
	loop_release(&p->loop);
	preconnect_close(&p->pre);
	if (p->work)
		event_free(p->work);
	if (p->parts)
		event_free(p->parts);
	free(p);
}

size_t capture_pool_preconnect(struct capture_pool *p, const char *url, size_t n)
{
	return preconnect_open(&p->pre, url, n, p->o.connect_timeout_ns);
}

void capture_pool_health(struct capture_pool *p, struct rec_client *out)
{
	out->loop_lag_max_ns = loop_take_lag_ns(&p->loop);
	out->cpu_share = loop_take_cpu_share(&p->loop);
	out->send_lag_max_ns = p->send_lag_max_ns;
	p->send_lag_max_ns = NS_NONE;
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
	if (c->q.target)
		secrets_add_url(&c->res.secrets, c->q.target);
}

/* NULL: out of memory. */
static struct capture *new_capture(struct capture_pool *p, const struct capture_request *r)
{
	struct capture *c = calloc(1, sizeof(*c));
	struct transfer_calls calls;

	if (!c)
		return NULL;
	c->pool = p;
	c->q = *r;
	c->turn = p->next_turn;
	p->next_turn = (p->next_turn + 1) % PART_TURNS;
	c->next = p->all;
	if (c->next)
		c->next->prev = c;
	p->all = c;
	head_init(&c->head);
	calls = exchange_calls(c);
	c->easy = transfer_create(r, &p->o, &calls, &c->headers);
	c->pre.p = &p->pre;
	if (c->easy)
		preconnect_offer(&c->pre, c->easy);
	if (response_init(&c->res, r->id, r->api, p->o.no_text) < 0 ||
	    exchange_timers(c) < 0 || !c->easy) {
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
	c->start_ns = c->last_byte_ns = p->busy_ns = *sent_ns = exchange_now(p);
	if (curl_multi_add_handle(p->loop.multi, c->easy) != CURLM_OK) {
		free_capture(c);
		err_set(e, "libcurl does not take the request");
		return NULL;
	}
	exchange_arm(c);
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
