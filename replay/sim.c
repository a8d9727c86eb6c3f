#include <config.h>

#include "replay/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "replay/ask.h"
#include "replay/chunk.h"
#include "replay/engine.h"
#include "replay/pages.h"
#include "replay/words.h"

struct sim {
	struct event_base *base;
	struct event *timer;
	struct engine *engine;
	struct profile p;
	uint64_t seed;
	double speed;
	const char *model;
	int64_t start_ns;         /* CLOCK_MONOTONIC at virtual 0 */
	int64_t by_stop, by_length; /* choices that ended so */
	uint64_t calls;
};

struct sim_choice {
	struct sim_call *call;
	struct engine_seq *seq;   /* NULL once it has ended */
	struct words words;
	int64_t tokens;
};

struct sim_call {
	struct sim *sim;
	struct httpd_call *c;
	struct ask ask;           /* without its block ids once submitted */
	char id[64];
	int64_t created_s;
	bool by_stop;             /* ends by itself, not at the asked limit */
	int64_t tokens, open;     /* made by all choices; choices that have not ended */
	int64_t cached;           /* prompt tokens found in the prefix cache, or COUNT_NONE */
	struct buf out;
	struct events all;        /* what a response in one piece says */
	struct sim_choice choices[];
};

static int64_t virtual_now(const struct sim *s)
{
	return (int64_t)((double)(clock_mono_ns() - s->start_ns) * s->speed);
}

static struct chunk_head head_of(const struct sim_call *k)
{
	return (struct chunk_head){
		.api = k->c->api, .id = str_of(k->id),
		.model = str_of(k->ask.model[0] ? k->ask.model : k->sim->model),
		.created_s = k->created_s,
		.usage = { k->ask.prompt_tokens, k->tokens, k->ask.prompt_tokens + k->tokens,
			   COUNT_NONE, k->cached },
	};
}

static void call_free(struct sim_call *k)
{
	buf_release(&k->out);
	events_release(&k->all);
	free(k);
}

static void arm(struct sim *s)
{
	int64_t next = engine_next_ns(s->engine), wait_ns;
	struct timeval tv;

	if (next == ENGINE_NEVER)
		return;
	wait_ns = s->start_ns + (int64_t)((double)next / s->speed) - clock_mono_ns();
	if (wait_ns < 0)
		wait_ns = 0;
	wait_ns += NS_PER_US - 1; /* a timer in whole us must not fire early */
	tv = (struct timeval){ wait_ns / NS_PER_S, wait_ns % NS_PER_S / NS_PER_US };
	event_add(s->timer, &tv);
}

/* The events of one token: role before the first of its choice, text, finish with the last. */
static size_t token_events(struct sim_choice *ch, bool last, struct event ev[3])
{
	const struct sim_call *k = ch->call;
	int32_t choice = (int32_t)(ch - k->choices);
	struct event blank = { .choice = choice, .flags = EVF_CHOICES, .cum_tokens = COUNT_NONE };
	size_t n = 0;

	if (ch->tokens == 0 && k->c->api == API_CHAT) {
		ev[n] = blank;
		ev[n].cls = EV_ROLE;
		ev[n++].text = str_of("assistant");
	}
	ev[n] = blank;
	ev[n].cls = EV_CONTENT;
	ev[n].text = words_next(&ch->words);
	if (k->ask.continuous_usage)
		ev[n].cum_tokens = k->tokens;
	n++;
	if (last) {
		ev[n] = blank;
		ev[n].cls = EV_FINISH;
		ev[n].flags |= EVF_PART;
		ev[n++].text = str_of(k->by_stop ? "stop" : "length");
	}
	for (size_t i = 0; i < n; i++)
		ev[i].text_len = ev[i].text.n;
	return n;
}

static void put_end(struct sim_call *k, const struct chunk_head *h)
{
	const struct event usage = { .cls = EV_USAGE, .cum_tokens = k->tokens };
	const struct event done = { .cls = EV_DONE, .cum_tokens = COUNT_NONE };

	if (k->ask.include_usage)
		chunk_sse(&k->out, h, &usage, 1);
	chunk_sse(&k->out, h, &done, 1);
}

static void send_token(struct sim_call *k, const struct event *ev, size_t n)
{
	struct chunk_head h = head_of(k);
	size_t first = ev[0].cls == EV_ROLE ? 1 : 0;

	buf_clear(&k->out);
	if (first)
		chunk_sse(&k->out, &h, ev, 1);
	chunk_sse(&k->out, &h, ev + first, n - first);
	if (k->open == 0)
		put_end(k, &h);
	httpd_send(k->c, buf_str(&k->out));
}

static void reply_whole(struct sim_call *k)
{
	struct chunk_head h = head_of(k);

	buf_clear(&k->out);
	if (chunk_whole(&k->out, &h, &k->all) < 0)
		httpd_error(k->c, 500, "InternalServerError", "out of memory");
	else
		httpd_reply(k->c, 200, "application/json", buf_str(&k->out));
}

static void on_token(void *arg, const struct engine_event *te)
{
	struct sim *s = arg;
	struct sim_choice *ch = te->user;
	struct sim_call *k = ch->call;
	struct event ev[3];
	size_t n;

	k->tokens++;
	if (s->p.prefix_cache && k->cached == COUNT_NONE)
		k->cached = te->cached_tokens;
	if (te->last) {
		ch->seq = NULL;
		k->open--;
		s->by_stop += k->by_stop;
		s->by_length += !k->by_stop;
	}
	n = token_events(ch, te->last, ev);
	ch->tokens++;
	if (k->ask.stream)
		send_token(k, ev, n);
	for (size_t i = 0; !k->ask.stream && i < n; i++)
		events_add(&k->all, &ev[i]);
	if (k->open > 0)
		return;
	if (k->ask.stream)
		httpd_end(k->c);
	else
		reply_whole(k);
	call_free(k);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct sim *s = arg;

	(void)fd;
	(void)what;
	engine_advance(s->engine, virtual_now(s), on_token, s);
	arm(s);
}

/* Output tokens of each choice, and whether it ends by itself.  -1: does not fit; err is for the client. */
static int64_t output_length(const struct sim *s, const struct ask *a, bool *by_stop, struct err *e)
{
	int64_t room = s->p.max_model_len - a->prompt_tokens;
	int64_t n = a->max_tokens;

	*by_stop = false;
	if (n == COUNT_NONE && a->ignore_eos) {
		n = room;
	} else if (n == COUNT_NONE) {
		n = s->p.output_tokens > a->min_tokens ? s->p.output_tokens : a->min_tokens;
		*by_stop = n <= room;
		n = n < room ? n : room;
	}
	if (room >= 1 && n <= room)
		return n;
	return err_set(e, "This model's maximum context length is %lld tokens. However, you "
			  "requested %lld tokens (%lld in the messages, %lld in the completion). "
			  "Please reduce the length of the messages or completion.",
		       (long long)s->p.max_model_len,
		       (long long)(a->prompt_tokens + (n > 0 ? n : 0)), (long long)a->prompt_tokens,
		       (long long)(n > 0 ? n : 0));
}

static struct sim_call *call_create(struct sim *s, struct httpd_call *c, const struct ask *a)
{
	struct sim_call *k = calloc(1, sizeof(*k) + (size_t)a->n * sizeof(k->choices[0]));

	if (!k)
		return NULL;
	k->sim = s;
	k->c = c;
	k->ask = *a;
	k->cached = COUNT_NONE;
	k->created_s = clock_wall_ns() / NS_PER_S;
	k->open = a->n;
	buf_init(&k->out, 1 << 28);
	events_init(&k->all, true, 1 << 28);
	snprintf(k->id, sizeof(k->id), "%s-%.16s-%llu", c->api == API_CHAT ? "chatcmpl" : "cmpl",
		 c->digest, (unsigned long long)s->calls++);
	c->state = k;
	return k;
}

static int submit(struct sim_call *k, int64_t t_ns, int64_t output)
{
	struct engine_request r = { .prompt_tokens = k->ask.prompt_tokens, .output_tokens = output,
				    .blocks = k->ask.prompt.ids, .n_blocks = k->ask.prompt.n };

	for (int64_t i = 0; i < k->ask.n; i++) {
		struct sim_choice *ch = &k->choices[i];

		ch->call = k;
		words_init(&ch->words, k->sim->seed, k->c->digest, (uint64_t)i);
		r.user = ch;
		ch->seq = engine_submit(k->sim->engine, t_ns, &r);
		if (!ch->seq)
			return -1;
	}
	return 0;
}

static void leave_engine(struct sim_call *k)
{
	for (int64_t i = 0; i < k->ask.n; i++) {
		if (k->choices[i].seq)
			engine_cancel(k->sim->engine, k->choices[i].seq);
	}
	call_free(k);
}

static void take_call(struct sim *s, struct httpd_call *c, const struct ask *a, int64_t output,
		      bool by_stop)
{
	int64_t t_ns = (int64_t)((double)(c->arrive_ns - s->start_ns) * s->speed);
	struct sim_call *k;

	engine_advance(s->engine, t_ns, on_token, s);
	k = call_create(s, c, a);
	if (!k || submit(k, t_ns, output) < 0) {
		if (k)
			leave_engine(k);
		httpd_error(c, 500, "InternalServerError", "out of memory");
		return;
	}
	k->by_stop = by_stop;
	if (a->stream)
		httpd_start(c, 200, "text/event-stream; charset=utf-8");
	arm(s);
}

static void on_call(void *arg, struct httpd_call *c)
{
	struct sim *s = arg;
	struct ask a;
	struct err e;
	bool by_stop;
	int64_t output;

	if (ask_parse(c->body, c->api, s->p.prefix_cache ? s->p.block_tokens : 0, &a, &e) < 0 ||
	    (output = output_length(s, &a, &by_stop, &e)) < 0)
		httpd_error(c, 400, "BadRequestError", e.msg);
	else
		take_call(s, c, &a, output, by_stop);
	ask_release(&a);
}

static void on_gone(void *arg, struct httpd_call *c)
{
	(void)arg;
	if (c->state)
		leave_engine(c->state);
}

static void label(struct sim *s, char *out, size_t n)
{
	struct buf b;

	buf_init(&b, n - 1);
	buf_adds(&b, "model_name=");
	chunk_string(&b, str_of(s->model));
	snprintf(out, n, "%s", buf_cstr(&b));
	buf_release(&b);
}

static void on_metrics(void *arg, struct buf *out)
{
	struct sim *s = arg;
	struct engine_stats st;
	char l[PROFILE_NAME_MAX * 6 + 32], cache[128], by[sizeof(l) + 64];
	double used;

	engine_stats(s->engine, &st);
	used = (double)st.kv_used_tokens / (double)st.kv_capacity_tokens;
	label(s, l, sizeof(l));
	pages_metric(out, "vllm:num_requests_running", "gauge",
		     "Requests in a slot.", l, (double)st.running);
	pages_metric(out, "vllm:num_requests_waiting", "gauge",
		     "Requests that wait for a slot or KV cache.", l, (double)st.waiting);
	pages_metric(out, "vllm:kv_cache_usage_perc", "gauge",
		     "KV cache in use; 1 means all of it.", l, used);
	pages_metric(out, "vllm:gpu_cache_usage_perc", "gauge",
		     "The same under its older name.", l, used);
	pages_metric(out, "vllm:prompt_tokens_total", "counter",
		     "Prompt tokens computed.", l, (double)st.prompt_tokens);
	pages_metric(out, "vllm:generation_tokens_total", "counter",
		     "Tokens generated.", l, (double)st.generation_tokens);
	pages_metric(out, "vllm:prefix_cache_queries_total", "counter",
		     "Prompt tokens looked up in the prefix cache.", l, (double)st.prefix_queries);
	pages_metric(out, "vllm:prefix_cache_hits_total", "counter",
		     "Prompt tokens found there.", l, (double)st.prefix_hits);
	pages_metric(out, "vllm:num_preemptions_total", "counter",
		     "Requests that gave up their KV cache and began again.", l,
		     (double)st.preemptions);
	snprintf(by, sizeof(by), "finished_reason=\"stop\",%s", l);
	pages_metric(out, "vllm:request_success_total", "counter",
		     "Requests that were answered.", by, (double)s->by_stop);
	buf_printf(out, "vllm:request_success_total{finished_reason=\"length\",%s} %lld\n", l,
		   (long long)s->by_length);
	snprintf(cache, sizeof(cache),
		 "block_size=\"%lld\",enable_prefix_caching=\"%s\",num_gpu_blocks=\"%lld\"",
		 (long long)s->p.block_tokens, s->p.prefix_cache ? "True" : "False",
		 (long long)(st.kv_capacity_tokens / s->p.block_tokens));
	pages_metric(out, "vllm:cache_config_info", "gauge", "The KV cache's layout.", cache, 1);
}

struct sim *sim_create(struct event_base *base, const struct sim_opts *o)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base = base;
	s->p = *o->profile;
	s->seed = o->seed;
	s->speed = o->speed;
	s->model = o->model;
	s->start_ns = clock_mono_ns();
	s->engine = engine_create(o->profile, o->seed);
	s->timer = event_new(base, -1, 0, on_timer, s);
	if (s->engine && s->timer)
		return s;
	sim_free(s);
	return NULL;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	engine_free(s->engine);
	if (s->timer)
		event_free(s->timer);
	free(s);
}

void sim_backend(struct sim *s, struct httpd_backend *out)
{
	*out = (struct httpd_backend){
		.arg = s, .model = s->model, .max_model_len = s->p.max_model_len,
		.call = on_call, .gone = on_gone, .metrics = on_metrics,
	};
}
