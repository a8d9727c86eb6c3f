#include <config.h>

#include "replay/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "replay/placing.h"

/* Bodies up to this sum are kept; what lies beyond is built again when it is sent. */
enum { KEEP_BYTES = 256 << 20, LINE_MAX_BYTES = 1 << 20 };

struct build {
	struct plan *p;
	struct placing placing;
	struct digest *text;
	struct buf line, body;
	size_t kept;
};

const char *cache_mode_name(enum cache_mode m)
{
	static const char *const names[] = {
		[CACHE_AS_RECORDED] = "as-recorded", [CACHE_COLD] = "cold", [CACHE_WARM] = "warm",
	};

	return names[m];
}

static int64_t count_of(const struct plan_opts *o, size_t level)
{
	if (o->n_counts == 0)
		return COUNT_NONE;
	return o->counts[o->n_counts == 1 ? 0 : level];
}

static uint64_t copy_of(const struct plan_entry *en, const struct plan *p)
{
	const struct plan_phase *ph = &p->phases[en->phase];

	bool own = ph->kind == PHASE_WARMUP && p->opts.cache != CACHE_WARM;

	return (ph->words << 1 | own) << 32 | (uint64_t)en->pass;
}

/* What keeps recorded prompts apart that a prefix cache must not join. */
static uint64_t salt_of(const struct plan *p, const struct plan_entry *en)
{
	if (p->opts.cache == CACHE_COLD)
		return (uint64_t)(en - p->e) + 1;
	if (p->opts.cache == CACHE_AS_RECORDED && p->opts.rounds > 1)
		return p->phases[en->phase].stream + 1;
	return 0;
}

static struct request_ask ask_of(const struct plan *p, const struct plan_entry *en)
{
	const struct source_item *it = &p->source->items[en->item];
	const struct rec_request *q = &it->x->req;
	struct request_ask a = {
		.req = q, .input_tokens = it->input_tokens, .output_tokens = it->output_tokens,
		.pieces = it->pieces, .n_pieces = it->n_pieces,
		.number = en->item, .copy = copy_of(en, p),
		.unshared = p->opts.cache == CACHE_COLD, .salt = salt_of(p, en),
	};

	a.synthetic = it->synthetic || (p->phases[en->phase].kind == PHASE_WARMUP &&
					p->opts.cache != CACHE_WARM);
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
	if (p->opts.rounds > 1 && ph->kind == PHASE_ROUND)
		bad |= add_int(out, "round", ph->round, -1);
	if (ph->scenario >= 0)
		bad |= buf_printf(out, ",\"scenario\":\"%s\"", p->opts.scenarios[ph->scenario].label);
	bad |= add_int(out, "concurrency", ph->load.concurrency, COUNT_NONE);
	bad |= buf_printf(out, ",\"trigger\":\"%s\"", trigger(en));
	bad |= add_int(out, "intended_ns", en->intended_ns, NS_NONE);
	bad |= add_int(out, "lane", en->lane, COUNT_NONE);
	bad |= add_int(out, "parent", en->parent, -1);
	bad |= add_int(out, "think_ns", en->waits ? en->think_ns : NS_NONE, NS_NONE);
	bad |= add_int(out, "source_id", p->source->items[en->item].id, COUNT_NONE);
	bad |= add_int(out, "pass", en->pass, -1);
	if (en->live)
		bad |= buf_adds(out, ",\"history\":\"live\"");
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
	en->live = b->p->opts.live_history && en->waits && !ask.synthetic &&
		en->facts.api == API_CHAT;
	en->endpoint = request_endpoint(&b->p->opts.req, &ask);
	en->body_len = b->body.n;
	digest_bytes(b->body.p, b->body.n, en->digest);
	if (!en->elsewhere && b->kept + b->body.n <= KEEP_BYTES) {
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

static int fill_phase(struct build *b, size_t phase, struct err *e)
{
	struct plan_phase *ph = &b->p->phases[phase];

	placing_begin(&b->placing, ph);
	for (size_t k = 0; k < ph->n; k++) {
		size_t i = ph->first + k;

		placing_entry(&b->placing, phase, k);
		buf_init(&b->p->e[i].body, REQUEST_BODY_MAX);
		b->p->n = i + 1;
		if (finish_entry(b, i, e) < 0)
			return -1;
	}
	ph->rate_hz = placing_rate_hz(&b->placing, ph);
	return 0;
}

/* Appends a phase of n requests after those that are there. */
static struct plan_phase *add_phase(struct plan *p, enum phase_kind kind, const struct load *l,
				    int64_t scenario, int64_t n)
{
	const struct plan_phase *before = p->n_phases ? &p->phases[p->n_phases - 1] : NULL;
	struct plan_phase *ph = &p->phases[p->n_phases++];

	*ph = (struct plan_phase){ .kind = kind, .load = *l, .rate_hz = NAN, .n = (size_t)n,
				   .scenario = scenario, .round = 1 };
	if (!before)
		return ph;
	ph->first = before->first + before->n;
	if (l->follows)
		ph->begun = before->begun + before->n;
	if (before->kind == PHASE_ROUND)
		ph->pause_ns = p->opts.cool_down_ns;
	return ph;
}

static int64_t rounds_of(const struct plan_opts *o)
{
	return o->rounds > 0 ? o->rounds : 1;
}

static size_t scenarios_of(const struct plan_opts *o)
{
	return o->n_scenarios ? o->n_scenarios : 1;
}

static void add_warmup(struct plan *p, const struct load *l, int64_t scenario, uint64_t words,
		       int64_t of_round)
{
	struct load warm = load_closed(l->concurrency == COUNT_NONE ? 1 : l->concurrency);
	int64_t n = p->opts.warmups;

	if (n == 0 && p->opts.cache == CACHE_WARM)
		n = of_round;
	if (n > 0 && !l->follows)
		add_phase(p, PHASE_WARMUP, &warm, scenario, n)->words = words;
}

static void note_wrap(struct build *b, const struct plan_phase *ph)
{
	size_t n = ph->begun + ph->n;

	if (ph->scenario < 0 && n > b->placing.rec.n && n - b->placing.rec.n > b->p->wrapped)
		b->p->wrapped = n - b->placing.rec.n;
}

/* A level of a scenario: its warm-up, then its rounds. */
static void add_level(struct build *b, int64_t scenario, size_t level)
{
	struct plan *p = b->p;
	const struct plan_opts *o = &p->opts;
	const struct load *l = &o->loads[level];
	uint64_t place = (uint64_t)(scenario < 0 ? 0 : scenario) * o->n_levels + level;
	uint64_t first = place * (uint64_t)rounds_of(o);

	for (int64_t round = 0; round < rounds_of(o); round++) {
		uint64_t stream = first + (uint64_t)round;
		int64_t n = placing_count(&b->placing, l, scenario, stream, count_of(o, level));
		struct plan_phase *ph;

		if (round == 0)
			add_warmup(p, l, scenario, first, n);
		ph = add_phase(p, PHASE_ROUND, l, scenario, n);
		ph->round = round + 1;
		ph->stream = stream;
		/* A load that follows goes on with the words of the one before. */
		ph->words = l->follows && ph > p->phases ? ph[-1].words :
			o->cache == CACHE_WARM ? first : stream;
		note_wrap(b, ph);
	}
}

/* How many requests there are in all. */
static size_t set_phases(struct build *b)
{
	struct plan *p = b->p;
	const struct plan_phase *last;

	for (size_t s = 0; s < scenarios_of(&p->opts); s++)
		for (size_t level = 0; level < p->opts.n_levels; level++)
			add_level(b, p->opts.n_scenarios ? (int64_t)s : -1, level);
	last = &p->phases[p->n_phases - 1];
	return last->first + last->n;
}

static int fill(struct build *b, struct err *e)
{
	struct plan *p = b->p;
	size_t total;

	p->prompt = prompt_create();
	p->phases = calloc(scenarios_of(&p->opts) * p->opts.n_levels *
			   (size_t)(1 + rounds_of(&p->opts)), sizeof(*p->phases));
	b->text = digest_create();
	if (!p->prompt || !p->phases || !b->text)
		return err_set(e, "out of memory");
	if (placing_init(&b->placing, p, e) < 0)
		return -1;
	total = set_phases(b);
	if (total == 0)
		return err_set(e, "no request is due within the duration; make it longer, or the rate higher");
	p->e = calloc(total, sizeof(*p->e));
	if (!p->e)
		return err_set(e, "out of memory for a plan of %zu requests", total);
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
	placing_release(&b.placing);
	if (rc < 0)
		plan_release(p);
	return rc;
}

int64_t plan_mine(const struct plan *p)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += !p->e[i].elsewhere;
	return n;
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
