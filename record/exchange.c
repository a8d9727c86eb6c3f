#include <config.h>

#include "record/exchange.h"

enum {
	PART_EVENTS = 4096, PART_TEXT = 1 << 19,
	LINGER_MS = 10,       /* after the end marker, for the connection to end and be used again */
};

int64_t exchange_now(const struct capture_pool *p)
{
	return clock_mono_ns() - p->o.epoch_ns;
}

void exchange_over(struct capture *c, enum transfer_end end)
{
	if (c->over)
		return;
	c->over = true;
	c->end = end;
	event_active(c->pool->work, EV_TIMEOUT, 0);
}

void exchange_deliver(struct capture *c)
{
	if (c->over || !response_has_part(&c->res))
		return;
	if (c->q.on_record)
		c->q.on_record(c->q.arg, &c->res.rec);
	response_part_taken(&c->res);
}

static int head_complete(struct capture *c, long status)
{
	const char *type, *coding;

	if (head_finish(&c->head) < 0)
		return -1;
	type = head_value(c->head.lines, c->head.n, "Content-Type");
	coding = head_value(c->head.lines, c->head.n, "Content-Encoding");
	response_head(&c->res, status, str_of(type), str_of(coding), c->last_byte_ns);
	if (c->q.on_head)
		c->q.on_head(c->q.arg, status, head_reason(&c->head), c->head.lines, c->head.n, c->last_byte_ns);
	return 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct capture *c = arg;
	size_t len = size * n;
	long status = 0;

	c->last_byte_ns = exchange_now(c->pool);
	if (c->head.done)
		return len; /* trailers */
	if (len && *p != '\r' && *p != '\n')
		return head_line(&c->head, p, len) < 0 ? 0 : len;
	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && head_complete(c, status) < 0)
		return 0;
	return len;
}

/* What of the time until the first byte is written was neither a connection's nor a retry's. */
static void note_send_lag(struct capture *c)
{
	int64_t lag = c->res.rec.written_ns - c->start_ns;
	struct transfer_facts f;

	/* With HTTP/2 it may have waited for the connection of another. */
	if (c->attempts > 1 || c->pool->o.http2)
		return;
	transfer_facts_of(c->easy, &f);
	if (f.fresh && f.connected_ns != NS_NONE)
		lag -= f.connected_ns;
	if (lag > c->pool->send_lag_max_ns)
		c->pool->send_lag_max_ns = lag;
}

/*
 * A request that finds its reused connection dead before any byte came back is sent again
 * by curl: once, on a fresh connection, and it is marked.
 */
static int on_ready(void *arg, char *ip, char *local_ip, int port, int local_port)
{
	struct capture *c = arg;

	(void)ip, (void)local_ip, (void)port, (void)local_port;
	if (++c->attempts > 2)
		return CURL_PREREQFUNC_ABORT;
	c->res.rec.retried = c->attempts == 2;
	c->res.rec.written_ns = exchange_now(c->pool);
	note_send_lag(c);
	if (c->attempts == 1)
		transfer_want_fresh(c->easy);
	return CURL_PREREQFUNC_OK;
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
	int64_t t_ns = exchange_now(c->pool);

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
		exchange_over(c, END_OVERFLOW);
		return 0;
	}
	if (c->res.rec.events.n >= PART_EVENTS || c->res.rec.events.text.n >= PART_TEXT)
		exchange_deliver(c);
	if (c->res.body == BODY_STREAM)
		after_end_marker(c);
	return len;
}

static void on_linger(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	exchange_over(arg, END_CLEAN);
}

/* The timer is not moved at each byte: it looks at the last byte's time when it fires. */
static void on_idle(evutil_socket_t fd, short what, void *arg)
{
	struct capture *c = arg;
	int64_t left = c->last_byte_ns + c->pool->o.idle_timeout_ns - exchange_now(c->pool);

	(void)fd, (void)what;
	if (c->pause_wanted)
		left = c->pool->o.idle_timeout_ns; /* it is the client that is slow */
	if (left > 0)
		loop_arm(c->idle, left);
	else
		exchange_over(c, END_IDLE_TIMEOUT);
}

/* An answer that is no stream comes all at once: its head is as good as its first token. */
static void on_first_token(evutil_socket_t fd, short what, void *arg)
{
	struct capture *c = arg;

	(void)fd, (void)what;
	if (!c->res.has_token && c->res.body != BODY_JSON && c->res.body != BODY_RAW)
		exchange_over(c, END_FIRST_TOKEN_TIMEOUT);
}

struct transfer_calls exchange_calls(struct capture *c)
{
	return (struct transfer_calls){
		.on_header = on_header, .on_body = on_body, .on_ready = on_ready,
		.arg = c, .error = c->curl_error,
	};
}

int exchange_timers(struct capture *c)
{
	struct event_base *base = c->pool->loop.base;

	c->idle = evtimer_new(base, on_idle, c);
	c->linger = evtimer_new(base, on_linger, c);
	c->first_token = evtimer_new(base, on_first_token, c);
	return c->idle && c->linger && c->first_token ? 0 : -1;
}

void exchange_arm(struct capture *c)
{
	const struct capture_opts *o = &c->pool->o;

	if (o->idle_timeout_ns > 0)
		loop_arm(c->idle, o->idle_timeout_ns);
	if (o->first_token_timeout_ns > 0)
		loop_arm(c->first_token, o->first_token_timeout_ns);
}

void exchange_timers_free(struct capture *c)
{
	struct event *const timers[] = { c->idle, c->linger, c->first_token };

	for (size_t i = 0; i < sizeof(timers) / sizeof(*timers); i++)
		if (timers[i])
			event_free(timers[i]);
}
