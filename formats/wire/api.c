#include <config.h>

#include "formats/wire/api.h"

#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/wire/chunk.h"
#include "formats/wire/fault.h"
#include "formats/wire/whole.h"

/* To add a protocol: a row here, a file with its choice reader. */
static const struct protocol {
	enum api_kind kind;
	const char *name;
	const char *path_end;
	choice_fn choice;
} protocols[] = {
	{ API_CHAT, "chat", "/chat/completions", chat_choice },
	{ API_COMPLETIONS, "completions", "/completions", completions_choice },
};

enum { PROTOCOLS = sizeof(protocols) / sizeof(*protocols) };

static const struct protocol *protocol(enum api_kind k)
{
	for (int i = 0; i < PROTOCOLS; i++)
		if (protocols[i].kind == k)
			return &protocols[i];
	return NULL;
}

enum api_kind api_of_path(struct str path)
{
	const char *q = path.p ? memchr(path.p, '?', path.n) : NULL;
	size_t n = q ? (size_t)(q - path.p) : path.n;

	while (n > 1 && path.p[n - 1] == '/')
		n--;
	for (int i = 0; i < PROTOCOLS; i++) {
		size_t k = strlen(protocols[i].path_end);

		if (n >= k && memcmp(path.p + n - k, protocols[i].path_end, k) == 0)
			return protocols[i].kind;
	}
	return API_NONE;
}

const char *api_name(enum api_kind k)
{
	const struct protocol *p = protocol(k);

	return p ? p->name : "none";
}

struct api {
	const struct protocol *protocol; /* NULL: events are kept, not understood */
	struct sse sse;
	struct chunk chunk;
	api_event_fn fn;
	void *arg;
	int64_t t_ns;
	bool later_in_read;      /* an event came out of this read already */
	struct api_summary sum;  /* its strings point into the buffers below */
	struct buf error, finish, model, id;
	uint64_t finished;       /* choices with a finish_reason, as bits */
};

static int on_sse(void *arg, const struct sse_event *ev);

struct api *api_create(enum api_kind k, size_t max_event, api_event_fn fn, void *arg)
{
	struct api *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->protocol = protocol(k);
	a->fn = fn;
	a->arg = arg;
	sse_init(&a->sse, max_event, on_sse, a);
	chunk_init(&a->chunk, max_event);
	buf_init(&a->error, 4096);
	buf_init(&a->finish, 256);
	buf_init(&a->model, 1024);
	buf_init(&a->id, 1024);
	a->sum.error_code = COUNT_NONE;
	a->sum.usage = USAGE_NONE;
	a->sum.done_ns = NS_NONE;
	return a;
}

void api_free(struct api *a)
{
	if (!a)
		return;
	sse_release(&a->sse);
	chunk_release(&a->chunk);
	buf_release(&a->error);
	buf_release(&a->finish);
	buf_release(&a->model);
	buf_release(&a->id);
	free(a);
}

/* part: 0 for the first struct event of a wire event, then 1, 2, ... */
static void emit(struct api *a, enum event_class cls, int part, unsigned flags, int32_t choice,
		 int64_t cum, struct str text)
{
	struct event e = {
		.t_ns = a->t_ns, .cls = cls, .choice = choice, .cum_tokens = cum, .text = text,
		.text_len = text.n,
		.flags = flags | (part ? EVF_PART : 0u) | (a->later_in_read ? EVF_COALESCED : 0u),
	};

	a->fn(a->arg, &e);
}

static void emit_alone(struct api *a, enum event_class cls, struct str text)
{
	emit(a, cls, 0, 0, 0, COUNT_NONE, text);
}

static void fault(struct api *a, struct str data)
{
	if (!a->sum.error)
		fault_read(data, &a->error, &a->sum.error_code);
	a->sum.error = true;
	emit_alone(a, EV_ERROR, data);
}

static void done(struct api *a)
{
	if (!a->sum.done)
		a->sum.done_ns = a->t_ns;
	a->sum.done = true;
	emit_alone(a, EV_DONE, (struct str){ NULL, 0 });
}

static void remember(struct buf *b, struct str raw)
{
	struct scan s;

	if (!raw.p || b->n)
		return;
	/* raw is between the quotes: give the scanner the whole string. */
	s = scan_of((struct str){ raw.p - 1, raw.n + 2 });
	scan_string(&s, b);
}

/* Later counts replace earlier ones; what a later usage does not say stays. */
static void merge_usage(struct usage *u, const struct usage *n)
{
	u->prompt = n->prompt != COUNT_NONE ? n->prompt : u->prompt;
	u->completion = n->completion != COUNT_NONE ? n->completion : u->completion;
	u->total = n->total != COUNT_NONE ? n->total : u->total;
	u->reasoning = n->reasoning != COUNT_NONE ? n->reasoning : u->reasoning;
	u->cached = n->cached != COUNT_NONE ? n->cached : u->cached;
}

static void finish(struct api *a, int32_t choice, struct str reason)
{
	uint64_t bit = UINT64_C(1) << (choice & 63);

	a->sum.finishes += !(a->finished & bit);
	a->finished |= bit;
	buf_clear(&a->finish);
	buf_add(&a->finish, reason.p, reason.n);
}

static void chunk_events(struct api *a, struct str data)
{
	const struct chunk *c = &a->chunk;
	unsigned flags = c->has_choices ? EVF_CHOICES : 0;
	int64_t cum = c->has_usage ? c->usage.completion : COUNT_NONE;

	for (size_t i = 0; i < c->n_parts; i++) {
		const struct part *p = &c->parts[i];
		struct str text = { c->text.p + p->off, p->len };

		if (p->cls == EV_FINISH)
			finish(a, p->choice, text);
		if (p->cls == EV_REASONING)
			a->sum.reasoning_key = str_of(c->reasoning_content ? "reasoning_content" : "reasoning");
		emit(a, p->cls, i > 0, flags, p->choice, cum, text);
	}
	if (c->n_parts)
		return;
	if (c->has_choices)
		emit(a, EV_EMPTY, 0, flags, 0, cum, (struct str){ NULL, 0 });
	else if (c->has_usage)
		emit(a, EV_USAGE, 0, 0, 0, cum, c->usage_raw);
	else
		emit_alone(a, EV_OTHER, data);
}

static struct str trim(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\n' || s.p[0] == '\t')) {
		s.p++;
		s.n--;
	}
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static void on_data(struct api *a, struct str type, struct str data)
{
	struct str bare = trim(data);

	if (bare.n == 0) {
		emit_alone(a, EV_EMPTY, (struct str){ NULL, 0 });
	} else if (str_is(bare, "[DONE]")) {
		done(a);
	} else if (a->sum.done || !a->protocol) {
		emit_alone(a, EV_OTHER, data);
	} else if (str_is(type, "error") || chunk_parse(&a->chunk, data, a->protocol->choice) < 0 ||
		   a->chunk.has_error) {
		fault(a, data);
	} else {
		remember(&a->model, a->chunk.model);
		remember(&a->id, a->chunk.id);
		if (a->chunk.has_usage)
			merge_usage(&a->sum.usage, &a->chunk.usage);
		chunk_events(a, data);
	}
}

static int on_sse(void *arg, const struct sse_event *ev)
{
	struct api *a = arg;

	if (ev->kind == SSE_DATA)
		on_data(a, ev->type, ev->data);
	else
		emit_alone(a, EV_COMMENT, ev->data);
	a->later_in_read = true;
	return a->chunk.out_of_memory;
}

int api_feed(struct api *a, const char *p, size_t n, int64_t t_ns)
{
	a->t_ns = t_ns;
	a->later_in_read = false;
	return sse_feed(&a->sse, p, n);
}

void api_end(struct api *a, int64_t t_ns)
{
	struct str data = sse_pending_data(&a->sse);

	a->t_ns = t_ns;
	a->later_in_read = false;
	if (data.p && !a->sum.done && str_is(trim(data), "[DONE]"))
		done(a);
}

struct whole_sink {
	struct api *a;
	int part;
};

static void on_whole(void *arg, enum event_class cls, int32_t choice, struct str text)
{
	struct whole_sink *w = arg;

	if (cls == EV_FINISH)
		finish(w->a, choice, text);
	emit(w->a, cls, w->part++, EVF_CHOICES, choice, w->a->sum.usage.completion, text);
}

void api_feed_json(struct api *a, const char *p, size_t n, int64_t t_ns)
{
	struct whole_sink sink = { a, 0 };
	struct str body = { p, n };

	a->t_ns = t_ns;
	a->later_in_read = false;
	if (!a->protocol || chunk_parse(&a->chunk, body, a->protocol->choice) < 0 || a->chunk.has_error) {
		fault(a, body);
		return;
	}
	remember(&a->model, a->chunk.model);
	remember(&a->id, a->chunk.id);
	merge_usage(&a->sum.usage, &a->chunk.usage);
	whole_events(body, on_whole, &sink);
	/* A whole JSON body is its own end marker. */
	a->sum.done = true;
	a->sum.done_ns = t_ns;
}

void api_summary(const struct api *a, struct api_summary *out)
{
	*out = a->sum;
	out->error_text = a->sum.error ? buf_str(&a->error) : (struct str){ NULL, 0 };
	out->finish_reason = a->finish.n ? buf_str(&a->finish) : (struct str){ NULL, 0 };
	out->model = a->model.n ? buf_str(&a->model) : (struct str){ NULL, 0 };
	out->id = a->id.n ? buf_str(&a->id) : (struct str){ NULL, 0 };
}
