#include <config.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "analyze/output.h"
#include "analyze/texts.h"

static json_t *num(double v)
{
	return isfinite(v) ? json_real(v + 0.0) : json_null();
}

static json_t *count(int64_t v)
{
	return v == COUNT_NONE ? json_null() : json_integer(v);
}

static json_t *text(struct str s)
{
	return s.p ? texts_string(s) : json_null();
}

static json_t *gaps_of(const struct choice *c)
{
	json_t *a = json_array();

	for (size_t i = 0; i < c->n_gaps; i++)
		json_array_append_new(a, num(c->gaps_ms[i]));
	return a;
}

/* One choice: a list of its gaps; several: a list per choice, by index. */
static json_t *gaps(const struct request *r)
{
	json_t *all;

	if (r->n_choices == 0)
		return json_array();
	if (r->n_choices == 1)
		return gaps_of(&r->choices[0]);
	all = json_array();
	for (int32_t index = 0; json_array_size(all) < r->n_choices && index < INT32_MAX; index++)
		for (size_t i = 0; i < r->n_choices; i++)
			if (r->choices[i].index == index)
				json_array_append_new(all, gaps_of(&r->choices[i]));
	return all;
}

static json_t *joined(const struct request *r, enum event_class cls, int32_t choice, bool null_if_empty)
{
	struct buf b;
	json_t *v;

	if (r->segment->header.no_text)
		return json_null();
	buf_init(&b, 1 << 30);
	texts_join(&r->x->res.events, cls, choice, &b);
	v = b.n || !null_if_empty ? texts_string(buf_str(&b)) : json_null();
	buf_release(&b);
	return v;
}

/* Per choice, only where there are several: the top-level fields stand for the request. */
static json_t *choices(const struct request *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->n_choices; i++) {
		const struct choice *c = &r->choices[i];
		int64_t t0 = r->x->req.sent_ns;
		json_t *o = json_object();

		json_object_set_new(o, "index", json_integer(c->index));
		json_object_set_new(o, "first_ms", num((double)(c->first_ns - t0) / (double)NS_PER_MS));
		json_object_set_new(o, "last_ms", num((double)(c->last_ns - t0) / (double)NS_PER_MS));
		/* One event of the choice is taken as one token: usage is a sum over choices. */
		json_object_set_new(o, "tpot_ms", c->n_gaps ? num((double)(c->last_ns - c->first_ns) / (double)NS_PER_MS / (double)c->n_gaps) : json_null());
		json_object_set_new(o, "text", joined(r, EV_CONTENT, c->index, false));
		json_object_set_new(o, "tool_calls", texts_tool_calls(&r->x->res.events, c->index));
		json_array_append_new(all, o);
	}
	return all;
}

static void who(json_t *o, const struct request *r, const struct analysis *a)
{
	const struct rec_request *q = &r->x->req;

	json_object_set_new(o, "id", json_integer(q->id));
	json_object_set_new(o, "phase", r->phase ? json_string(phase_kind_name(r->phase->kind)) : json_null());
	json_object_set_new(o, "phase_id", count(q->phase));
	json_object_set_new(o, "source_id", count(q->source_id));
	json_object_set_new(o, "session", text(q->session));
	json_object_set_new(o, "turn", count(q->turn));
	json_object_set_new(o, "parent", count(q->parent));
	json_object_set_new(o, "session_inferred", q->session.n ? json_boolean(q->inferred) : json_null());
	json_object_set_new(o, "layer", r->group >= 0 ? json_string(a->groups[r->group].layer.label) : json_null());
	json_object_set_new(o, "concurrency", r->phase ? count(r->phase->concurrency) : json_null());
}

static void outcome(json_t *o, const struct request *r)
{
	const struct rec_response *s = &r->x->res;

	json_object_set_new(o, "status", json_string(status_name(r->status)));
	json_object_set_new(o, "error", r->error_kind ? texts_string(str_of(r->error_kind)) : json_null());
	json_object_set_new(o, "error_text", r->error_kind ? text(s->error_text) : json_null());
	json_object_set_new(o, "http_status", count(s->http_status));
	json_object_set_new(o, "finish_reason", text(s->finish_reason));
	json_object_set_new(o, "end_marker", json_boolean(s->done_marker));
	json_object_set_new(o, "valid", json_boolean(r->valid));
	json_object_set_new(o, "invalid_because", r->invalid ? json_string(r->invalid) : json_null());
}

static void times(json_t *o, const struct request *r)
{
	json_object_set_new(o, "scheduled_ms", num(r->scheduled_ms));
	json_object_set_new(o, "sent_ms", num(r->sent_ms));
	json_object_set_new(o, "queue_ms", num(r->queue_ms));
	json_object_set_new(o, "ttft_ms", num(r->ttft_ms));
	json_object_set_new(o, "first_answer_ms", num(r->first_answer_ms));
	json_object_set_new(o, "last_ms", num(r->last_ms));
	json_object_set_new(o, "e2e_ms", num(r->e2e_ms));
	json_object_set_new(o, "duration_ms", num(r->duration_ms));
	json_object_set_new(o, "scheduled_ttft_ms", num(r->scheduled_ttft_ms));
	json_object_set_new(o, "scheduled_e2e_ms", num(r->scheduled_e2e_ms));
	json_object_set_new(o, "tpot_ms", num(r->tpot_ms));
	json_object_set_new(o, "tpot_corrected_ms", num(r->tpot_corrected_ms));
	json_object_set_new(o, "gaps_ms", gaps(r));
}

static void tokens(json_t *o, const struct request *r)
{
	json_object_set_new(o, "input_tokens", count(r->input_tokens));
	json_object_set_new(o, "output_tokens", count(r->output_tokens));
	json_object_set_new(o, "output_tokens_estimated", json_boolean(r->estimated));
	json_object_set_new(o, "reasoning_tokens", count(r->reasoning_tokens));
	json_object_set_new(o, "cached_tokens", count(r->cached_tokens));
	json_object_set_new(o, "token_events", json_integer((json_int_t)r->token_events));
	json_object_set_new(o, "tokens_per_event", r->token_events && !r->estimated
		? num((double)r->output_tokens / (double)r->token_events) : json_null());
	/* No detector exists yet, and false would be a claim. */
	json_object_set_new(o, "looped", json_null());
}

static void said(json_t *o, const struct request *r)
{
	int32_t first = r->n_choices == 1 ? r->choices[0].index : 0;

	json_object_set_new(o, "text", joined(r, EV_CONTENT, first, false));
	json_object_set_new(o, "reasoning", joined(r, EV_REASONING, first, true));
	json_object_set_new(o, "tool_calls", texts_tool_calls(&r->x->res.events, first));
	if (r->n_choices > 1)
		json_object_set_new(o, "choices", choices(r));
}

int output_requests(const struct analysis *a, FILE *out, struct err *e)
{
	for (size_t i = 0; i < a->n_requests; i++) {
		const struct request *r = &a->requests[i];
		json_t *o = json_object();
		int rc;

		who(o, r, a);
		outcome(o, r);
		times(o, r);
		tokens(o, r);
		said(o, r);
		rc = json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
		json_decref(o);
		if (rc < 0 || fputc('\n', out) == EOF)
			return err_set(e, "cannot write: %s", strerror(errno));
	}
	return fflush(out) == 0 ? 0 : err_set(e, "cannot write: %s", strerror(errno));
}
