#include <config.h>

#include "replay/runlog.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS_MAX = 24, LIST_MAX = 4096 };

/* Key-value pairs whose values are formatted into one buffer. */
struct settings {
	struct kv kv[SETTINGS_MAX];
	size_t at[SETTINGS_MAX]; /* of the value in text, which moves as it grows */
	size_t n;
	struct buf text;
};

static void set(struct settings *s, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void set(struct settings *s, const char *key, const char *fmt, ...)
{
	char value[LIST_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (s->n == SETTINGS_MAX)
		return;
	s->kv[s->n].key = str_of(key);
	s->at[s->n] = s->text.n;
	if (buf_adds(&s->text, value) == 0)
		s->kv[s->n].value.n = s->text.n - s->at[s->n], s->n++;
}

static struct kvs finish(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->kv[i].value.p = s->text.n ? s->text.p + s->at[i] : "";
	return (struct kvs){ s->kv, s->n };
}

static void list(const int64_t *v, size_t n, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%" PRId64, i ? "," : "", v[i]);
}

/* One name for all levels, or one each. */
static void list_timings(const struct plan_opts *o, char *out, size_t size)
{
	size_t at = 0;
	bool one = true;

	for (size_t i = 1; i < o->n_levels; i++)
		one = one && o->loads[i].timing == o->loads[0].timing;
	for (size_t i = 0; i < (one ? 1 : o->n_levels) && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "," : "",
				       timing_name(o->loads[i].timing));
}

static void list_caps(const struct plan_opts *o, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < o->n_levels && at < size; i++) {
		int64_t c = o->loads[i].concurrency;

		if (c == COUNT_NONE)
			at += (size_t)snprintf(out + at, size - at, "%snone", i ? "," : "");
		else
			at += (size_t)snprintf(out + at, size - at, "%s%" PRId64, i ? "," : "", c);
	}
}

static void load_settings(const struct plan_opts *o, struct settings *s)
{
	char text[LIST_MAX];

	list_timings(o, text, sizeof(text));
	set(s, "timing", "%s", text);
	if (strstr(text, timing_name(TIMING_RECORDED)))
		set(s, "speed", "%.17g", o->recorded.speed);
	list_caps(o, text, sizeof(text));
	if (strcmp(text, "none") != 0)
		set(s, "concurrency", "%s", text);
	if (o->lanes)
		set(s, "lanes", "pinned");
	if (o->shard.count > 1)
		set(s, "shard", "%" PRId64 "/%" PRId64, o->shard.index, o->shard.count);
}

static void run_settings(const struct runlog *l, const char *source_name, struct settings *s)
{
	const struct plan_opts *o = &l->plan->opts;
	char text[LIST_MAX];

	load_settings(o, s);
	list(o->counts, o->n_counts, text, sizeof(text));
	set(s, "num_prompts", "%s", o->n_counts ? text : "all");
	set(s, "num_warmups", "%" PRId64, o->warmups);
	set(s, "rounds", "%" PRId64, o->rounds > 0 ? o->rounds : 1);
	if (o->cool_down_ns > 0)
		set(s, "cool_down_s", "%.9g", (double)o->cool_down_ns / 1e9);
	set(s, "cache", "%s", cache_mode_name(o->cache));
	set(s, "seed", "%" PRIu64, o->req.seed);
	if (o->req.max_tokens != COUNT_NONE)
		set(s, "max_tokens", "%" PRId64, o->req.max_tokens);
	if (o->req.engine != ENGINE_UNKNOWN)
		set(s, "engine_words", "%s", engine_kind_name(o->req.engine));
	set(s, "exact_prompts", "%s", o->req.fit_chat || o->req.fit_completions ? "true" : "false");
	set(s, "ignore_eos", "%s", o->req.ignore_eos ? "true" : "false");
	set(s, "source", "%s", source_name);
	set(s, "requests", "%zu", l->plan->n);
}

static void target_settings(const struct runlog *l, const struct probe *engine, struct settings *s)
{
	const char *model = l->plan->n ? l->plan->e[0].facts.model : NULL;

	set(s, "url", "%s", l->target->shown);
	if (model || *engine->model)
		set(s, "model", "%s", model ? model : engine->model);
	if (*engine->engine)
		set(s, "engine", "%s", engine->engine);
	if (*engine->version)
		set(s, "engine_version", "%s", engine->version);
}

int runlog_header(const struct runlog *l, const struct trace_origin *origin,
		  const struct probe *engine, const char *source_name,
		  int64_t *epoch_ns, struct err *e)
{
	struct settings run = { .n = 0 }, target = { .n = 0 };
	struct record r;
	int rc;

	buf_init(&run.text, SETTINGS_MAX * LIST_MAX);
	buf_init(&target.text, SETTINGS_MAX * LIST_MAX);
	run_settings(l, source_name, &run);
	target_settings(l, engine, &target);
	record_init(&r, REC_HEADER);
	trace_origin_fill(origin, &r.u.header);
	r.u.header.run = finish(&run);
	r.u.header.target = finish(&target);
	r.u.header.source_digest = str_of(l->plan->source->digest);
	r.u.header.plan_digest = str_of(l->plan->digest);
	r.u.header.no_text = l->no_text;
	*epoch_ns = r.u.header.epoch_mono_ns;
	rc = trace_write(l->w, &r, e);
	buf_release(&run.text);
	buf_release(&target.text);
	return rc;
}

int runlog_phase(const struct runlog *l, size_t phase, int64_t begin_ns, int64_t end_ns,
		 const char *verdict, struct err *e)
{
	const struct plan_phase *ph = &l->plan->phases[phase];
	struct record r;

	record_init(&r, REC_PHASE);
	r.u.phase.id = (int64_t)phase;
	r.u.phase.kind = ph->kind;
	if (!load_is_cap_ramp(&ph->load))
		r.u.phase.concurrency = ph->load.concurrency;
	r.u.phase.rate_hz = ph->rate_hz;
	if (ph->kind == PHASE_ROUND)
		r.u.phase.round = ph->round;
	if (ph->scenario >= 0)
		r.u.phase.layer = str_of(l->plan->opts.scenarios[ph->scenario].label);
	r.u.phase.timing = str_of(timing_name(ph->load.timing));
	r.u.phase.begin_ns = begin_ns;
	r.u.phase.end_ns = end_ns;
	r.u.phase.verdict = str_of(verdict);
	return trace_write(l->w, &r, e);
}

/* What the plan says about request i. */
static void fill_planned(const struct runlog *l, size_t i, struct rec_request *q)
{
	const struct plan_entry *en = &l->plan->e[i];
	const struct source_item *it = &l->plan->source->items[en->item];
	const struct rec_request *from = &it->x->req;

	q->id = (int64_t)i;
	q->phase = (int64_t)en->phase;
	q->source_id = it->id;
	q->session = from->session;
	q->turn = from->turn;
	q->inferred = from->inferred;
	q->parent = en->parent < 0 ? COUNT_NONE : en->parent;
	q->method = str_of("POST");
	q->endpoint = en->endpoint;
	q->api = str_of(api_name(en->facts.api));
	q->model = str_of(en->facts.model);
	q->stream = en->facts.stream;
	q->choices = en->facts.choices;
	q->max_tokens = en->facts.max_tokens;
	q->output_tokens = en->facts.output_tokens;
	q->input_tokens = it->synthetic && from->input_tokens == 0 ? 1 : it->input_tokens;
	/* A warm-up's text is not the source's: it repeats nothing. */
	if (l->plan->phases[en->phase].kind == PHASE_WARMUP)
		q->source_id = COUNT_NONE;
	q->block_tokens = from->block_tokens;
	q->blocks = from->blocks;
	q->n_blocks = from->n_blocks;
	q->prompt_bytes = from->prompt_bytes;
}

int runlog_request(const struct runlog *l, size_t i, struct str body,
		   const struct run_times *t, struct err *e)
{
	const struct plan_entry *en = &l->plan->e[i];
	char digest[DIGEST_HEX + 1];
	struct record r;
	struct rec_request *q = &r.u.request;

	record_init(&r, REC_REQUEST);
	fill_planned(l, i, q);
	q->scheduled_ns = t->scheduled_ns;
	q->queued_ns = t->queued_ns;
	q->sent_ns = t->sent_ns;
	q->lane = t->lane;
	q->headers = (struct kvs){ l->target->public, l->target->n_headers };
	if (!l->no_text)
		q->body = body;
	q->body_digest = (struct str){ en->digest, DIGEST_HEX };
	q->body_len = (int64_t)en->body_len;
	if (t->live) {
		digest_bytes(body.p, body.n, digest);
		q->body_digest = (struct str){ digest, DIGEST_HEX };
		q->body_len = (int64_t)body.n;
		q->live = true;
		/* What is known of the recorded prompt is not true of this one. */
		q->input_tokens = q->block_tokens = COUNT_NONE;
		q->n_blocks = 0;
	}
	return trace_write(l->w, &r, e);
}

int runlog_end(const struct runlog *l, int64_t t_ns, bool interrupted, struct err *e)
{
	struct record r;

	record_init(&r, REC_END);
	trace_writer_counts(l->w, &r.u.end);
	r.u.end.t_ns = t_ns;
	r.u.end.interrupted = interrupted;
	return trace_write(l->w, &r, e);
}
