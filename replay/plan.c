#include <config.h>

#include "replay/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bodies up to this sum are kept; what lies beyond is built again when it is sent. */
enum { KEEP_BYTES = 256 << 20, LINE_MAX_BYTES = 1 << 20 };

struct build {
	struct plan *p;
	struct schedule schedule;
	size_t *order;    /* items in the order of sending */
	int64_t *sent_as; /* item -> its latest entry in the phase at hand, or -1 */
	struct digest *text;
	struct buf line, body;
	size_t kept;
};

static int64_t count_of(const struct plan_opts *o, size_t level, size_t source_n)
{
	if (o->n_counts == 0)
		return (int64_t)source_n;
	return o->counts[o->n_counts == 1 ? 0 : level];
}

static uint64_t copy_of(const struct plan_entry *en, const struct plan *p)
{
	size_t per_level = p->n_phases / p->opts.n_levels;
	uint64_t level = en->phase / per_level;
	uint64_t warm = p->phases[en->phase].kind == PHASE_WARMUP;

	return (level << 1 | warm) << 32 | (uint64_t)en->pass;
}

static struct request_ask ask_of(const struct plan *p, const struct plan_entry *en)
{
	const struct source_item *it = &p->source->items[en->item];
	const struct rec_request *q = &it->x->req;
	struct request_ask a = {
		.req = q, .input_tokens = it->input_tokens, .output_tokens = it->output_tokens,
		.number = en->item, .copy = copy_of(en, p),
	};

	a.synthetic = it->synthetic || p->phases[en->phase].kind == PHASE_WARMUP;
	/* About four bytes a token: only a warm-up for a recorded body comes here. */
	if (a.synthetic && a.input_tokens == COUNT_NONE)
		a.input_tokens = (int64_t)(q->body.n / 4);
	return a;
}

int plan_body(const struct plan *p, size_t i, struct buf *tmp, struct str *body, struct err *e)
{
	const struct plan_entry *en = &p->e[i];
	struct request_ask ask;

	if (en->body.n) {
		*body = buf_str(&en->body);
		return 0;
	}
	ask = ask_of(p, en);
	if (request_build(&p->opts.req, p->prompt, &ask, tmp, NULL, e) < 0)
		return -1;
	*body = buf_str(tmp);
	return 0;
}

static int add_json_string(struct buf *out, struct str s)
{
	json_t *j = json_stringn(s.p, s.n);
	char *text = j ? json_dumps(j, JSON_ENCODE_ANY) : NULL;
	int rc = text ? buf_adds(out, text) : buf_adds(out, "null");

	free(text);
	json_decref(j);
	return rc;
}

static int add_int(struct buf *out, const char *key, int64_t v, int64_t none)
{
	if (v == none)
		return buf_printf(out, ",\"%s\":null", key);
	return buf_printf(out, ",\"%s\":%" PRId64, key, v);
}

static const char *trigger(const struct plan_entry *en)
{
	if (en->intended_ns != NS_NONE)
		return "time";
	return en->waits ? "parent" : "slot";
}

int plan_line(const struct plan *p, size_t i, struct buf *out)
{
	const struct plan_entry *en = &p->e[i];
	const struct plan_phase *ph = &p->phases[en->phase];
	int bad = 0;

	bad |= buf_printf(out, "{\"index\":%zu,\"phase\":%zu,\"kind\":\"%s\"", i, en->phase,
			  ph->kind == PHASE_WARMUP ? "warmup" : "round");
	bad |= add_int(out, "concurrency", ph->concurrency, COUNT_NONE);
	bad |= buf_printf(out, ",\"trigger\":\"%s\"", trigger(en));
	bad |= add_int(out, "intended_ns", en->intended_ns, NS_NONE);
	bad |= add_int(out, "parent", en->parent, -1);
	bad |= add_int(out, "source_id", p->source->items[en->item].id, COUNT_NONE);
	bad |= add_int(out, "pass", en->pass, -1);
	bad |= buf_adds(out, ",\"endpoint\":");
	bad |= add_json_string(out, en->endpoint);
	bad |= buf_printf(out, ",\"body_bytes\":%zu,\"body_sha256\":\"%s\"}\n", en->body_len,
			  en->digest);
	return bad;
}

/* Body, facts, digest and line of one entry whose place is already set. */
static int finish_entry(struct build *b, size_t i, struct err *e)
{
	struct plan_entry *en = &b->p->e[i];
	struct request_ask ask = ask_of(b->p, en);

	if (request_build(&b->p->opts.req, b->p->prompt, &ask, &b->body, &en->facts, e) < 0)
		return -1;
	en->endpoint = request_endpoint(&b->p->opts.req, &ask);
	en->body_len = b->body.n;
	digest_bytes(b->body.p, b->body.n, en->digest);
	if (b->kept + b->body.n <= KEEP_BYTES) {
		if (buf_add(&en->body, b->body.p, b->body.n) < 0)
			return err_set(e, "out of memory");
		b->kept += b->body.n;
	}
	buf_clear(&b->line);
	if (plan_line(b->p, i, &b->line) < 0)
		return err_set(e, "out of memory");
	digest_add(b->text, b->line.p, b->line.n);
	return 0;
}

static void place_entry(struct build *b, size_t phase, size_t k)
{
	struct plan *p = b->p;
	const struct plan_phase *ph = &p->phases[phase];
	size_t i = ph->first + k, item = b->order[k % p->source->n];
	const struct source_item *it = &p->source->items[item];
	int64_t parent = it->parent < 0 ? -1 : b->sent_as[it->parent];
	struct plan_entry *en = &p->e[i];

	*en = (struct plan_entry){ .item = item, .phase = phase, .parent = -1 };
	buf_init(&en->body, REQUEST_BODY_MAX);
	en->pass = (int64_t)(k / p->source->n);
	if (parent >= 0 && p->e[parent].pass == en->pass)
		en->parent = parent;
	en->waits = en->parent >= 0 && ph->timing == TIMING_CLOSED;
	en->intended_ns = ph->timing == TIMING_CLOSED ? NS_NONE :
		schedule_intended_ns(&b->schedule, it->arrival_ns, en->pass);
	b->sent_as[item] = (int64_t)i;
}

static double offered_rate(const struct plan *p, const struct plan_phase *ph)
{
	int64_t span = ph->n < 2 ? 0 : p->e[ph->first + ph->n - 1].intended_ns;

	return ph->timing == TIMING_CLOSED || span <= 0 ?
		NAN : (double)(ph->n - 1) * 1e9 / (double)span;
}

static int fill_phase(struct build *b, size_t phase, struct err *e)
{
	struct plan_phase *ph = &b->p->phases[phase];

	for (size_t i = 0; i < b->p->source->n; i++)
		b->sent_as[i] = -1;
	for (size_t k = 0; k < ph->n; k++) {
		place_entry(b, phase, k);
		b->p->n = ph->first + k + 1;
		if (finish_entry(b, ph->first + k, e) < 0)
			return -1;
	}
	ph->rate_hz = offered_rate(b->p, ph);
	return 0;
}

static size_t set_phases(struct plan *p)
{
	const struct plan_opts *o = &p->opts;
	size_t at = 0, i = 0;

	for (size_t level = 0; level < o->n_levels; level++) {
		int64_t c = o->levels[level], n = count_of(o, level, p->source->n);

		if (o->warmups > 0) {
			p->phases[i++] = (struct plan_phase){ PHASE_WARMUP, TIMING_CLOSED,
				c == COUNT_NONE ? 1 : c, NAN, at, (size_t)o->warmups };
			at += (size_t)o->warmups;
		}
		p->phases[i++] = (struct plan_phase){ PHASE_ROUND, o->timing, c, NAN, at, (size_t)n };
		at += (size_t)n;
		if ((size_t)n > p->source->n && (size_t)n - p->source->n > p->wrapped)
			p->wrapped = (size_t)n - p->source->n;
	}
	p->n_phases = i;
	return at;
}

struct by_arrival {
	int64_t t_ns;
	size_t item;
};

static int compare(const void *a, const void *b)
{
	const struct by_arrival *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Recorded timing sends by arrival, those of one instant in the trace's order. */
static int set_order(struct build *b, struct err *e)
{
	const struct source *s = b->p->source;
	struct by_arrival *v;

	for (size_t i = 0; i < s->n; i++)
		b->order[i] = i;
	if (b->p->opts.timing == TIMING_CLOSED)
		return 0;
	if (!source_has_arrivals(s))
		return err_set(e, "recorded timing needs the arrival time of every request, and "
			       "this trace has some without; use --timing closed -c N");
	v = calloc(s->n, sizeof(*v));
	if (!v)
		return err_set(e, "out of memory");
	for (size_t i = 0; i < s->n; i++)
		v[i] = (struct by_arrival){ s->items[i].arrival_ns, i };
	qsort(v, s->n, sizeof(*v), compare);
	for (size_t i = 0; i < s->n; i++)
		b->order[i] = v[i].item;
	schedule_init(&b->schedule, TIMING_RECORDED, b->p->opts.speed, v[0].t_ns,
		      v[s->n - 1].t_ns, (int64_t)s->n);
	free(v);
	return 0;
}

static int fill(struct build *b, struct err *e)
{
	struct plan *p = b->p;
	size_t n = p->source->n, total;

	p->prompt = prompt_create();
	p->phases = calloc(2 * p->opts.n_levels, sizeof(*p->phases));
	b->order = calloc(n, sizeof(*b->order));
	b->sent_as = calloc(n, sizeof(*b->sent_as));
	b->text = digest_create();
	if (!p->prompt || !p->phases || !b->order || !b->sent_as || !b->text)
		return err_set(e, "out of memory");
	total = set_phases(p);
	p->e = calloc(total, sizeof(*p->e));
	if (!p->e)
		return err_set(e, "out of memory for a plan of %zu requests", total);
	if (set_order(b, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n_phases; i++)
		if (fill_phase(b, i, e) < 0)
			return -1;
	return 0;
}

int plan_build(const struct source *s, const struct plan_opts *o, struct plan *p, struct err *e)
{
	struct build b = { .p = p };
	char unused[DIGEST_HEX + 1];
	int rc;

	*p = (struct plan){ .source = s, .opts = *o };
	buf_init(&b.line, LINE_MAX_BYTES);
	buf_init(&b.body, REQUEST_BODY_MAX);
	rc = fill(&b, e);
	if (b.text)
		digest_finish(b.text, rc == 0 ? p->digest : unused);
	buf_release(&b.line);
	buf_release(&b.body);
	free(b.order);
	free(b.sent_as);
	if (rc < 0)
		plan_release(p);
	return rc;
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		request_facts_release(&p->e[i].facts);
		buf_release(&p->e[i].body);
	}
	free(p->e);
	free(p->phases);
	prompt_free(p->prompt);
	*p = (struct plan){ .n = 0 };
}
