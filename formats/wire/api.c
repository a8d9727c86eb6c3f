#include <config.h>

#include "formats/wire/api.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

/* To add a protocol: a row here, a file with its readers. */
static const struct protocol *const protocols[] = {
	&protocol_chat, &protocol_completions, &protocol_responses, &protocol_messages,
	&protocol_ollama_chat, &protocol_ollama_generate,
};

enum { PROTOCOLS = sizeof(protocols) / sizeof(*protocols) };

static const struct protocol *protocol(enum api_kind k)
{
	for (int i = 0; i < PROTOCOLS; i++)
		if (protocols[i]->kind == k)
			return protocols[i];
	return NULL;
}

/* OpenAI's /v1/threads/ID/messages stores a message and generates nothing. */
static bool of_thread(const char *p, size_t n)
{
	return n && memmem(p, n, "/threads/", strlen("/threads/"));
}

enum api_kind api_of_path(struct str path)
{
	const char *q = path.p ? memchr(path.p, '?', path.n) : NULL;
	size_t n = q ? (size_t)(q - path.p) : path.n;

	while (n > 1 && path.p[n - 1] == '/')
		n--;
	for (int i = 0; i < PROTOCOLS; i++) {
		size_t k = strlen(protocols[i]->path_end);

		if (n >= k && memcmp(path.p + n - k, protocols[i]->path_end, k) == 0 && !of_thread(path.p, n))
			return protocols[i]->kind;
	}
	return API_NONE;
}

const char *api_name(enum api_kind k)
{
	const struct protocol *p = protocol(k);

	return p ? p->name : "none";
}

enum api_kind api_of_name(struct str name)
{
	for (int i = 0; i < PROTOCOLS; i++)
		if (str_is(name, protocols[i]->name))
			return protocols[i]->kind;
	return API_NONE;
}

enum api_framing api_framing(enum api_kind k)
{
	const struct protocol *p = protocol(k);

	return p ? p->framing : FRAMING_SSE;
}

bool api_finish_ends(enum api_kind k)
{
	const struct protocol *p = protocol(k);

	return p && p->finish_ends;
}

static int on_sse(void *arg, const struct sse_event *ev);
static int on_frame(void *arg, struct str value);

struct api *api_create(enum api_kind k, size_t max_event, api_event_fn fn, void *arg)
{
	struct api *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->protocol = protocol(k);
	a->framing = api_framing(k);
	a->fn = fn;
	a->arg = arg;
	sse_init(&a->sse, max_event, on_sse, a);
	frames_init(&a->frames, max_event, on_frame, a);
	chunk_init(&a->chunk, max_event);
	buf_init(&a->text, max_event);
	/* An argument text in JSON again: each byte may take six. */
	buf_init(&a->piece, 6 * max_event + 4096);
	buf_init(&a->calls, 1 << 16);
	buf_init(&a->error, 4096);
	buf_init(&a->finish, 256);
	buf_init(&a->model, 1024);
	buf_init(&a->id, 1024);
	for (size_t i = 0; i < sizeof(a->prompt_parts) / sizeof(*a->prompt_parts); i++)
		a->prompt_parts[i] = COUNT_NONE;
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
	frames_release(&a->frames);
	chunk_release(&a->chunk);
	buf_release(&a->text);
	buf_release(&a->piece);
	buf_release(&a->calls);
	buf_release(&a->error);
	buf_release(&a->finish);
	buf_release(&a->model);
	buf_release(&a->id);
	free(a);
}

void api_frame(struct api *a, enum api_framing f)
{
	a->framing = f;
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

/* A wire event begins: nothing is known of it yet. */
static void begin(struct api *a)
{
	a->part = 0;
	a->flags = 0;
	a->cum = COUNT_NONE;
}

static void on_data(struct api *a, struct str type, struct str data)
{
	struct str bare = trim(data);

	if (bare.n == 0)
		emit_empty(a, (struct str){ NULL, 0 });
	else if (str_is(bare, "[DONE]"))
		emit_done(a);
	else if (!a->protocol)
		emit(a, EV_OTHER, 0, data);
	else
		a->protocol->event(a, type, data);
}

static int on_sse(void *arg, const struct sse_event *ev)
{
	struct api *a = arg;

	begin(a);
	if (ev->kind == SSE_DATA)
		on_data(a, ev->type, ev->data);
	else
		emit(a, EV_COMMENT, 0, ev->data);
	a->later_in_read = true;
	return a->chunk.out_of_memory;
}

static int on_frame(void *arg, struct str value)
{
	struct api *a = arg;

	begin(a);
	on_data(a, (struct str){ NULL, 0 }, value);
	a->later_in_read = true;
	return a->chunk.out_of_memory;
}

int api_feed(struct api *a, const char *p, size_t n, int64_t t_ns)
{
	a->t_ns = t_ns;
	a->later_in_read = false;
	return a->framing == FRAMING_JSON ? frames_feed(&a->frames, p, n) : sse_feed(&a->sse, p, n);
}

/* The member "type" of an event, absent if the event is not whole. */
static struct str type_of(struct str data)
{
	struct scan s = scan_of(data);
	struct str key, type = { NULL, 0 };

	if (scan_peek(&s) != SCAN_OBJECT)
		return type;
	scan_object(&s);
	while (scan_key(&s, &key)) {
		if (str_is(key, "type"))
			type = take_raw_string(&s);
		else
			scan_raw(&s);
	}
	return scan_at_end(&s) ? type : (struct str){ NULL, 0 };
}

void api_end(struct api *a, int64_t t_ns)
{
	struct str data = sse_pending_data(&a->sse);

	a->t_ns = t_ns;
	a->later_in_read = false;
	begin(a);
	if (!data.p || a->sum.done)
		return;
	if (str_is(trim(data), "[DONE]"))
		emit_done(a);
	else if (a->protocol && a->protocol->ends && a->protocol->ends(type_of(trim(data))))
		a->protocol->event(a, (struct str){ NULL, 0 }, trim(data));
}

void api_feed_json(struct api *a, const char *p, size_t n, int64_t t_ns)
{
	struct str body = { p, n };

	a->t_ns = t_ns;
	a->later_in_read = false;
	begin(a);
	if (!a->protocol)
		emit_fault(a, body);
	else if (a->protocol->whole)
		a->protocol->whole(a, body);
	else
		a->protocol->event(a, (struct str){ NULL, 0 }, body);
	/* A whole JSON body is its own end marker. */
	if (!a->sum.error) {
		a->sum.done = true;
		a->sum.done_ns = t_ns;
	}
}

void api_summary(const struct api *a, struct api_summary *out)
{
	*out = a->sum;
	out->error_text = a->sum.error ? buf_str(&a->error) : (struct str){ NULL, 0 };
	out->finish_reason = a->finish.n ? buf_str(&a->finish) : (struct str){ NULL, 0 };
	out->model = a->model.n ? buf_str(&a->model) : (struct str){ NULL, 0 };
	out->id = a->id.n ? buf_str(&a->id) : (struct str){ NULL, 0 };
}
