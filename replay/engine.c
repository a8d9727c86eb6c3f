#include <config.h>

#include "replay/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/rng.h"
#include "replay/prefix.h"
#include "replay/seqs.h"

struct engine {
	struct profile p;
	struct rng rng;
	int64_t now_ns;
	int64_t step_end_ns;         /* of the step in flight, or ENGINE_NEVER */
	struct seq_heap arriving;
	struct seq_queue waiting;
	struct engine_seq **running; /* in order of admission; max_num_seqs of them */
	size_t n_running;
	int64_t blocks_free, blocks_all; /* free: neither held nor in the prefix cache */
	struct prefix *prefix;       /* its idle blocks are as good as free */
	uint64_t submitted;
	struct engine_stats sum;     /* its counters; the rest is filled on asking */
};

/* What one step holds while it is being put together. */
struct step {
	int64_t budget;  /* tokens left */
	int64_t decodes, contexts, chunk_tokens;
	double pairs;
};

/* Whole ns, at most eleven days, so that no profile can overflow the time. */
static int64_t ns_of_us(double us)
{
	return us < 1e12 ? (int64_t)llround(us * 1e3) : (int64_t)1e15;
}

struct engine *engine_create(const struct profile *p, uint64_t seed)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->p = *p;
	e->running = calloc((size_t)p->max_num_seqs, sizeof(struct engine_seq *));
	e->prefix = prefix_create();
	if (!e->running || !e->prefix) {
		engine_free(e);
		return NULL;
	}
	rng_init(&e->rng, seed, "engine.step", 0);
	e->now_ns = INT64_MIN;
	e->step_end_ns = ENGINE_NEVER;
	/* At least one request of the full length fits, or it would be preempted for ever. */
	e->blocks_all = p->kv_tokens / p->block_tokens;
	if (e->blocks_all * p->block_tokens < p->max_model_len)
		e->blocks_all++;
	e->blocks_free = e->blocks_all;
	return e;
}

static void seq_free(struct engine_seq *s)
{
	free(s->ids);
	free(s);
}

void engine_free(struct engine *e)
{
	struct engine_seq *s, *next;

	if (!e)
		return;
	for (size_t i = 0; i < e->arriving.n; i++)
		seq_free(e->arriving.v[i]);
	free(e->arriving.v);
	for (s = e->waiting.head; s; s = next) {
		next = s->next;
		seq_free(s);
	}
	for (size_t i = 0; i < e->n_running; i++)
		seq_free(e->running[i]);
	free(e->running);
	prefix_free(e->prefix);
	free(e);
}

/* Only blocks before the last prompt token: that one is always computed. */
static int copy_ids(const struct engine *e, struct engine_seq *s, const struct engine_request *r)
{
	size_t most = (size_t)((r->prompt_tokens - 1) / e->p.block_tokens);

	s->n_ids = !e->p.prefix_cache ? 0 : r->n_blocks < most ? r->n_blocks : most;
	if (s->n_ids == 0)
		return 0;
	s->ids = malloc(s->n_ids * sizeof(*s->ids));
	if (!s->ids)
		return -1;
	memcpy(s->ids, r->blocks, s->n_ids * sizeof(*s->ids));
	return 0;
}

struct engine_seq *engine_submit(struct engine *e, int64_t t_ns, const struct engine_request *r)
{
	struct engine_seq *s;

	if (r->prompt_tokens < 1 || r->output_tokens < 1 ||
	    r->prompt_tokens > e->p.max_model_len ||
	    r->output_tokens > e->p.max_model_len - r->prompt_tokens)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	if (t_ns < e->now_ns)
		t_ns = e->now_ns;
	s->number = e->submitted++;
	s->ready_ns = t_ns + ns_of_us(e->p.request_us +
				      e->p.request_token_us * (double)r->prompt_tokens);
	s->prompt = r->prompt_tokens;
	s->output = r->output_tokens;
	s->user = r->user;
	if (copy_ids(e, s, r) < 0 || seq_heap_push(&e->arriving, s) < 0) {
		seq_free(s);
		return NULL;
	}
	return s;
}

static void drop_blocks(struct engine *e, struct engine_seq *s)
{
	prefix_drop(e->prefix, s->ids, s->held);
	e->blocks_free += s->blocks - (int64_t)s->held;
	s->blocks = 0;
	s->held = 0;
}

static void leave_slot(struct engine *e, struct engine_seq *s)
{
	memmove(&e->running[s->at], &e->running[s->at + 1],
		(e->n_running - s->at - 1) * sizeof(*e->running));
	e->n_running--;
	for (size_t i = s->at; i < e->n_running; i++)
		e->running[i]->at = i;
	drop_blocks(e, s);
}

void engine_cancel(struct engine *e, struct engine_seq *s)
{
	if (s->place == SEQ_ARRIVING)
		seq_heap_remove(&e->arriving, s);
	else if (s->place == SEQ_WAITING)
		seq_queue_remove(&e->waiting, s);
	else
		leave_slot(e, s);
	e->sum.cancelled++;
	seq_free(s);
}

static int64_t blocks_of(const struct engine *e, int64_t tokens)
{
	return (tokens + e->p.block_tokens - 1) / e->p.block_tokens;
}

static void preempt(struct engine *e, struct engine_seq *s)
{
	leave_slot(e, s);
	s->place = SEQ_WAITING;
	s->computed = 0;
	s->chunk = 0;
	seq_queue_push_front(&e->waiting, s);
	e->sum.preemptions++;
}

static int64_t available(const struct engine *e)
{
	return e->blocks_free + (int64_t)prefix_idle(e->prefix);
}

/* Takes the blocks for s to hold `tokens` of context.  False: not enough are free. */
static bool take_blocks(struct engine *e, struct engine_seq *s, int64_t tokens)
{
	int64_t more = blocks_of(e, tokens) - s->blocks;

	if (more > available(e))
		return false;
	for (; e->blocks_free < more; e->blocks_free++)
		prefix_evict(e->prefix);
	e->blocks_free -= more;
	s->blocks += more;
	return true;
}

/* Tokens whose KV is missing before the next output token can be made. */
static int64_t missing(const struct engine_seq *s)
{
	return s->prompt + s->made - s->computed;
}

/* Puts up to the budget of s into the step; its blocks are taken already. */
static void add_to_step(struct step *st, struct engine_seq *s, int64_t chunk)
{
	s->chunk = chunk;
	st->budget -= chunk;
	if (chunk == 1 && s->made > 0) {
		st->decodes++;
		st->contexts += s->computed;
	} else {
		double from = (double)s->computed, to = (double)(s->computed + chunk);

		st->chunk_tokens += chunk;
		st->pairs += (to * to - from * from) / 2;
	}
}

static int64_t chunk_of(const struct step *st, const struct engine_seq *s)
{
	int64_t n = missing(s);

	return n < st->budget ? n : st->budget;
}

/* decodes: those that lack one token; else those in the middle of their context. */
static void schedule_running(struct engine *e, struct step *st, bool decodes)
{
	for (size_t i = 0; i < e->n_running; i++) {
		struct engine_seq *s = e->running[i];
		int64_t chunk = chunk_of(st, s);

		if ((missing(s) == 1) != decodes || chunk == 0)
			continue;
		/*
		 * The last one admitted pays; it may be s itself.  It is never in this step yet:
		 * only decodes grow past their blocks, and they come in order of admission.
		 */
		while (e->n_running > i && !take_blocks(e, s, s->computed + chunk)) {
			struct engine_seq *victim = e->running[e->n_running - 1];

			preempt(e, victim);
		}
		if (e->n_running > i)
			add_to_step(st, s, chunk);
	}
}

/* Shares the cached beginning of its prompt and takes blocks for the rest, or does nothing. */
static bool take_context(struct engine *e, struct engine_seq *s)
{
	s->held = prefix_hold(e->prefix, s->ids, s->n_ids);
	s->blocks = (int64_t)s->held;
	/* Room for all of its context, or it would be preempted in the middle of it. */
	if (!take_blocks(e, s, s->prompt + s->made)) {
		drop_blocks(e, s);
		return false;
	}
	s->computed = (int64_t)s->held * e->p.block_tokens;
	if (!s->looked_up && e->p.prefix_cache) {
		s->cached = s->computed;
		e->sum.prefix_queries += s->prompt;
		e->sum.prefix_hits += s->cached;
	}
	s->looked_up = true;
	return true;
}

/* Prompt blocks that are computed now can be shared. */
static void share_blocks(struct engine *e, struct engine_seq *s, int64_t prompt_done)
{
	while (s->held < s->n_ids && (int64_t)(s->held + 1) * e->p.block_tokens <= prompt_done) {
		/* Another one computed the same at the same time: this copy stays its own. */
		if (!prefix_add(e->prefix, s->ids[s->held]))
			s->n_ids = s->held;
		else
			s->held++;
	}
}

static void admit(struct engine *e, struct step *st)
{
	struct engine_seq *s;

	while ((s = e->waiting.head) != NULL && st->budget > 0 &&
	       e->n_running < (size_t)e->p.max_num_seqs) {
		if (!take_context(e, s))
			return;
		seq_queue_remove(&e->waiting, s);
		s->place = SEQ_RUNNING;
		s->at = e->n_running;
		e->running[e->n_running++] = s;
		add_to_step(st, s, chunk_of(st, s));
	}
}

static int64_t step_ns(struct engine *e, const struct step *st)
{
	const struct profile *p = &e->p;
	double us = p->step_base_us + p->step_sequence_us * (double)st->decodes +
		    p->step_context_ns * (double)st->contexts / 1e3 +
		    p->prefill_token_us * (double)st->chunk_tokens +
		    p->prefill_pair_ns * st->pairs / 1e3;

	us *= 1 + p->jitter * (2 * rng_unit(&e->rng) - 1);
	return us * 1e3 < 1 ? 1 : ns_of_us(us);
}

static void begin_step(struct engine *e)
{
	struct step st = { .budget = e->p.max_batched_tokens };
	int64_t preemptions = e->sum.preemptions;

	schedule_running(e, &st, true);
	schedule_running(e, &st, false);
	if (e->sum.preemptions == preemptions) /* else the queue's head would take the blocks back */
		admit(e, &st);
	if (st.decodes == 0 && st.chunk_tokens == 0)
		return;
	e->sum.steps++;
	e->step_end_ns = e->now_ns + step_ns(e, &st);
}

/* One request's part of the step that ends; true if it left its slot. */
static bool end_part(struct engine *e, struct engine_seq *s, engine_fn fn, void *arg)
{
	struct engine_event ev = { .t_ns = e->now_ns, .seq = s, .user = s->user,
				   .cached_tokens = s->cached };
	int64_t prompt_done;

	s->computed += s->chunk;
	s->chunk = 0;
	prompt_done = s->computed < s->prompt ? s->computed : s->prompt;
	if (prompt_done > s->first_time) {
		e->sum.prompt_tokens += prompt_done - s->first_time;
		s->first_time = prompt_done;
	}
	share_blocks(e, s, prompt_done);
	if (missing(s) > 0)
		return false;
	ev.token = ++s->made;
	ev.last = s->made == s->output;
	e->sum.generation_tokens++;
	if (ev.last) {
		leave_slot(e, s);
		e->sum.finished++;
	}
	fn(arg, &ev);
	if (ev.last)
		seq_free(s);
	return ev.last;
}

/* The step in flight ends: its tokens appear. */
static void end_step(struct engine *e, engine_fn fn, void *arg)
{
	size_t i = 0;

	e->step_end_ns = ENGINE_NEVER;
	while (i < e->n_running) {
		if (!end_part(e, e->running[i], fn, arg))
			i++;
	}
}

int64_t engine_next_ns(const struct engine *e)
{
	const struct engine_seq *s = seq_heap_peek(&e->arriving);

	return s && s->ready_ns < e->step_end_ns ? s->ready_ns : e->step_end_ns;
}

void engine_advance(struct engine *e, int64_t t_ns, engine_fn fn, void *arg)
{
	while (engine_next_ns(e) <= t_ns && engine_next_ns(e) != ENGINE_NEVER) {
		struct engine_seq *s;

		e->now_ns = engine_next_ns(e);
		if (e->step_end_ns == e->now_ns)
			end_step(e, fn, arg);
		while ((s = seq_heap_peek(&e->arriving)) != NULL && s->ready_ns <= e->now_ns) {
			seq_heap_remove(&e->arriving, s);
			s->place = SEQ_WAITING;
			seq_queue_push(&e->waiting, s);
		}
		if (e->step_end_ns == ENGINE_NEVER)
			begin_step(e);
	}
	if (t_ns > e->now_ns && t_ns != ENGINE_NEVER)
		e->now_ns = t_ns;
}

void engine_stats(const struct engine *e, struct engine_stats *out)
{
	*out = e->sum;
	out->running = (int64_t)e->n_running;
	out->waiting = (int64_t)(e->waiting.n + e->arriving.n);
	out->kv_used_tokens = (e->blocks_all - available(e)) * e->p.block_tokens;
	out->kv_capacity_tokens = e->blocks_all * e->p.block_tokens;
}
