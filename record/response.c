#include <config.h>

#include "record/response.h"

#include <stdio.h>
#include <strings.h>

static void on_event(void *arg, const struct event *e)
{
	struct response *r = arg;
	struct event kept = *e;
	struct buf clean;

	buf_init(&clean, RESPONSE_EVENT_MAX);
	if ((e->cls == EV_ERROR || e->cls == EV_OTHER) && secrets_any(&r->secrets)) {
		secrets_blot(&r->secrets, e->text, &clean);
		kept.text = buf_str(&clean);
		kept.text_len = kept.text.n;
	}
	if (events_add(&r->rec.events, &kept) < 0)
		r->overflow = true;
	r->n_events++;
	r->has_token |= e->cls == EV_CONTENT || e->cls == EV_REASONING || e->cls == EV_TOOL ||
			e->cls == EV_REFUSAL;
	r->n_coalesced += (e->flags & EVF_COALESCED) != 0;
	buf_release(&clean);
}

int response_init(struct response *r, int64_t id, enum api_kind api, bool no_text)
{
	struct record blank;

	record_init(&blank, REC_RESPONSE);
	*r = (struct response){ .rec = blank.u.response, .api_kind = api, .no_text = no_text };
	r->rec.id = id;
	r->rec.body_bytes = 0;
	events_init(&r->rec.events, !no_text, 4 * (size_t)RESPONSE_EVENT_MAX);
	buf_init(&r->raw, RESPONSE_RAW_MAX);
	buf_init(&r->json, RESPONSE_JSON_MAX);
	buf_init(&r->content_type, 256);
	buf_init(&r->error_text, 4096);
	buf_init(&r->error_kind, 32);
	secrets_init(&r->secrets);
	r->api = api_create(api, RESPONSE_EVENT_MAX, on_event, r);
	r->gunzip = gunzip_create();
	return r->api && r->gunzip ? 0 : -1;
}

void response_release(struct response *r)
{
	api_free(r->api);
	gunzip_free(r->gunzip);
	secrets_release(&r->secrets);
	events_release(&r->rec.events);
	buf_release(&r->raw);
	buf_release(&r->json);
	buf_release(&r->content_type);
	buf_release(&r->error_text);
	buf_release(&r->error_kind);
}

static bool type_has(struct str type, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= type.n; i++)
		if (strncasecmp(type.p + i, word, n) == 0)
			return true;
	return false;
}

static bool type_is_lines(struct str type)
{
	return type_has(type, "ndjson") || type_has(type, "jsonl") || type_has(type, "json-seq");
}

static enum body_kind body_of_type(const struct response *r, struct str type)
{
	if (r->api_kind == API_NONE)
		return BODY_RAW;
	if (type_is_lines(type) || type_has(type, "event-stream"))
		return BODY_STREAM;
	/* Where a stream is JSON values, a single one is a stream too. */
	if (type_has(type, "json"))
		return api_framing(r->api_kind) == FRAMING_JSON ? BODY_STREAM : BODY_JSON;
	if (type_has(type, "html") || type_has(type, "xml"))
		return BODY_RAW;
	return BODY_NONE; /* no type, text/plain: the first byte decides */
}

/* Of a body whose type does not tell. */
static enum body_kind body_of_byte(const struct response *r, char c)
{
	if (api_framing(r->api_kind) == FRAMING_JSON)
		return c == '{' ? BODY_STREAM : BODY_RAW;
	return c == '{' ? BODY_JSON : c == '<' ? BODY_RAW : BODY_STREAM;
}

/* gzip is known by its first bytes, said or not; what else is packed is no text that could be read. */
static bool can_unpack(struct str coding)
{
	return coding.n == 0 || type_has(coding, "gzip") || type_has(coding, "identity");
}

void response_head(struct response *r, int64_t http_status, struct str content_type, struct str coding, int64_t t_ns)
{
	r->rec.http_status = http_status;
	r->rec.headers_ns = t_ns;
	buf_add(&r->content_type, content_type.p, content_type.n);
	r->body = http_status < 200 || http_status > 299 ? BODY_RAW : body_of_type(r, content_type);
	if (!can_unpack(coding))
		r->body = BODY_UNDECODABLE;
	if (type_has(content_type, "event-stream"))
		api_frame(r->api, FRAMING_SSE);
	else if (type_is_lines(content_type))
		api_frame(r->api, FRAMING_JSON);
}

static void keep_raw(struct response *r, const char *p, size_t n)
{
	size_t room = r->raw.max - r->raw.n;

	buf_add(&r->raw, p, n < room ? n : room);
}

static void on_plain(void *arg, const char *p, size_t n)
{
	struct response *r = arg;

	r->rec.body_bytes += (int64_t)n;
	if (r->body == BODY_NONE && n)
		r->body = body_of_byte(r, *p);
	if (r->body == BODY_RAW || r->body == BODY_UNDECODABLE)
		keep_raw(r, p, n);
	else if (r->body == BODY_JSON && buf_add(&r->json, p, n) < 0)
		r->overflow = true;
	else if (r->body == BODY_STREAM && api_feed(r->api, p, n, r->t_ns) < 0)
		r->overflow = true;
}

int response_bytes(struct response *r, const char *p, size_t n, int64_t t_ns)
{
	r->t_ns = t_ns;
	if (r->rec.first_byte_ns == NS_NONE)
		r->rec.first_byte_ns = t_ns;
	if (gunzip_feed(r->gunzip, p, n, on_plain, r) < 0) {
		r->body = BODY_UNDECODABLE;
		keep_raw(r, p, n);
	}
	return r->overflow ? -1 : 0;
}

bool response_done(const struct response *r)
{
	struct api_summary s;

	api_summary(r->api, &s);
	return s.done;
}

void response_part_taken(struct response *r)
{
	events_clear(&r->rec.events);
	r->rec.part++;
}

static void set_raw(struct response *r, struct str body)
{
	struct str kept = { body.p, body.n < RESPONSE_RAW_MAX ? body.n : (size_t)RESPONSE_RAW_MAX };
	struct buf clean;

	if (r->no_text || body.n == 0)
		return;
	/* Behind the secrets' cleaning the raw body may live in the same buffer. */
	buf_init(&clean, 2 * RESPONSE_RAW_MAX);
	secrets_blot(&r->secrets, kept, &clean);
	buf_release(&r->raw);
	r->raw = clean;
	r->rec.raw = buf_str(&r->raw);
}

static void one_line(struct response *r, struct str s)
{
	struct buf clean;
	size_t n = s.n < 1000 ? s.n : 1000;

	buf_init(&clean, 8192);
	secrets_blot(&r->secrets, (struct str){ s.p, n }, &clean);
	for (size_t i = 0; i < clean.n; i++)
		if ((unsigned char)clean.p[i] < 0x20 || clean.p[i] == 0x7f)
			clean.p[i] = ' ';
	buf_add(&r->error_text, clean.p, clean.n);
	buf_release(&clean);
}

/* The engine's own words, which may quote the prompt: not without text. */
static void engine_words(struct response *r, struct str s)
{
	if (r->no_text)
		return;
	if (r->error_text.n)
		buf_adds(&r->error_text, ": ");
	one_line(r, s);
}

static void describe(struct response *r, struct outcome o, const struct api_summary *s,
		     const char *transport_text)
{
	if (o.status == ST_OK)
		return;
	if (*o.kind)
		buf_adds(&r->error_kind, o.kind);
	else
		buf_printf(&r->error_kind, "http_%d", (int)r->rec.http_status);
	if (s->error && s->error_code != COUNT_NONE)
		buf_printf(&r->error_text, "code %d", (int)s->error_code);
	if (s->error)
		engine_words(r, s->error_text);
	else if (!*o.kind)
		engine_words(r, r->raw.n ? buf_str(&r->raw) : buf_str(&r->json));
	else if (r->body == BODY_UNDECODABLE && strcmp(o.kind, "undecodable") == 0)
		buf_adds(&r->error_text, "the body is damaged, or packed in another way than gzip");
	else if (r->body == BODY_RAW && strcmp(o.kind, "not_stream") == 0)
		buf_printf(&r->error_text, "the answer is %s, not an event stream or JSON: wrong port or path?",
			   r->content_type.n ? buf_cstr(&r->content_type) : "no stream");
	else if (strcmp(o.kind, "no_end") == 0)
		buf_adds(&r->error_text, s->finishes ? "the stream ended without its end marker" :
			 "the stream ended without finish_reason and end marker");
	else if (transport_text)
		one_line(r, str_of(transport_text));
	r->rec.error_kind = buf_str(&r->error_kind);
	if (r->error_text.n)
		r->rec.error_text = buf_str(&r->error_text);
}

void response_finish(struct response *r, enum transfer_end end, const char *transport_text, int64_t t_ns)
{
	struct api_summary s;
	struct outcome o;

	if (r->body == BODY_JSON && end == END_CLEAN)
		api_feed_json(r->api, r->json.p ? r->json.p : "", r->json.n, t_ns);
	else if (r->body == BODY_STREAM)
		api_end(r->api, t_ns);
	api_summary(r->api, &s);
	o = outcome_of(end, r->rec.http_status, r->body, r->api_kind, &s);
	describe(r, o, &s, transport_text);
	set_raw(r, r->body == BODY_JSON ? buf_str(&r->json) : buf_str(&r->raw));
	r->rec.status = o.status;
	r->rec.end_ns = s.done_ns != NS_NONE ? s.done_ns : t_ns;
	r->rec.finish_reason = s.finish_reason;
	r->rec.done_marker = s.done && r->body == BODY_STREAM;
	r->rec.usage = s.usage;
	r->rec.model = s.model;
	r->rec.response_id = s.id;
	r->rec.reasoning_key = s.reasoning_key;
	if (r->content_type.n)
		r->rec.content_type = buf_str(&r->content_type);
	r->rec.last = true;
}
