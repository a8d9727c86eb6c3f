#include <config.h>

#include "record/hide.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "formats/base/secret.h"
#include "record/hide_events.h"

struct hide {
	bool no_text;
	const struct redact *rules; /* NULL: none */
	struct event_plans *plans;
};

struct hide *hide_create(bool no_text, const struct redact *rules)
{
	struct hide *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->no_text = no_text;
	if (no_text || !redact_any(rules))
		return h;
	h->rules = rules;
	h->plans = event_plans_create(rules);
	if (h->plans)
		return h;
	free(h);
	return NULL;
}

void hide_free(struct hide *h)
{
	if (h)
		event_plans_free(h->plans);
	free(h);
}

static bool in_list(const char *const *list, struct str name)
{
	for (; *list; list++)
		if (strlen(*list) == name.n && strncasecmp(*list, name.p, name.n) == 0)
			return true;
	return false;
}

/* Letters, digits and a few signs, as of a version or a code word: no place for a sentence. */
static bool is_code(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && !strchr("._-", s.p[i]))
			return false;
	return s.n > 0 && s.n <= 40;
}

/* ---- no text ---- */

/* How the client talks, not what it says. */
static bool header_is_plain(struct str name)
{
	static const char *const plain[] = {
		"accept", "accept-encoding", "anthropic-beta", "anthropic-version", "connection",
		"content-encoding", "content-length", "content-type", "host", "openai-beta",
		"transfer-encoding", NULL,
	};

	return in_list(plain, name);
}

/* Of the query only what tells which API is spoken. */
static void strip_query(struct buf *url)
{
	static const char *const plain[] = { "api-version", "beta", "alt", NULL };
	const char *mark = memchr(url->p ? url->p : "", '?', url->n), *p, *end = url->p + url->n;
	struct buf kept;

	if (!mark)
		return;
	buf_init(&kept, url->n);
	for (p = mark + 1; p < end;) {
		const char *amp = memchr(p, '&', (size_t)(end - p)), *stop = amp ? amp : end;
		const char *eq = memchr(p, '=', (size_t)(stop - p));

		if (eq && in_list(plain, (struct str){ p, (size_t)(eq - p) }) &&
		    is_code((struct str){ eq + 1, (size_t)(stop - eq - 1) })) {
			buf_adds(&kept, kept.n ? "&" : "?");
			buf_add(&kept, p, (size_t)(stop - p));
		}
		p = stop + 1;
	}
	url->n = (size_t)(mark - url->p);
	buf_add(url, kept.p, kept.n);
	buf_release(&kept);
}

void hide_url(const struct hide *h, const char *url, struct buf *out)
{
	struct buf clean;

	buf_init(&clean, 1 << 16);
	secret_scrub_url(str_of(url), &clean);
	if (h->no_text)
		strip_query(&clean);
	buf_add(out, clean.p, clean.n);
	buf_release(&clean);
}

static void strip_request(struct rec_request *q, struct kv *headers)
{
	for (size_t i = 0; i < q->headers.n; i++)
		if (!header_is_plain(headers[i].key))
			headers[i].value = str_of(SECRET_MARK);
	q->body = (struct str){ NULL, 0 };
}

/* "code 20012: words" -> "code 20012". */
static struct str code_of(struct str text, struct buf *store)
{
	size_t n = 5;

	buf_clear(store);
	if (text.n < 6 || memcmp(text.p, "code ", 5) != 0)
		return (struct str){ NULL, 0 };
	while (n < text.n && n < 24 && (isdigit((unsigned char)text.p[n]) || text.p[n] == '-'))
		n++;
	if (n == 5)
		return (struct str){ NULL, 0 };
	buf_add(store, text.p, n);
	return buf_str(store);
}

static struct str media_type(struct str type)
{
	const char *end = type.p ? memchr(type.p, ';', type.n) : NULL;
	struct str t = { type.p, end ? (size_t)(end - type.p) : type.n }, major = t;
	const char *slash = t.p ? memchr(t.p, '/', t.n) : NULL;

	if (!slash)
		return (struct str){ NULL, 0 };
	major.n = (size_t)(slash - t.p);
	t = (struct str){ slash + 1, t.n - major.n - 1 };
	return is_code(major) && is_code(t) ? (struct str){ major.p, major.n + 1 + t.n } : (struct str){ NULL, 0 };
}

static void strip_response(struct rec_response *s, struct hidden *store)
{
	const struct str none = { NULL, 0 };

	s->events.has_text = false;
	s->raw = s->response_id = none;
	/* Without a status the words are our own, of the transport. */
	if (s->http_status != COUNT_NONE)
		s->error_text = code_of(s->error_text, &store->error);
	if (!is_code(s->finish_reason))
		s->finish_reason = none;
	s->content_type = media_type(s->content_type);
}

/* ---- rules ---- */

static void redact_request(const struct hide *h, struct rec_request *q, struct buf *body)
{
	enum redacted done = redact_json(h->rules, "", q->body, body);

	if (redact_covers(h->rules, "model") && q->model.n) {
		q->model = str_of(SECRET_MARK);
		q->redacted = true;
	}
	if (done == REDACT_NOTHING)
		return;
	q->redacted = true;
	q->body = done == REDACT_CHANGED ? buf_str(body) : (struct str){ NULL, 0 };
}

static void redact_words(const struct hide *h, bool asked_redacted, struct rec_response *s, struct hidden *store)
{
	const struct {
		const char *path;
		struct str *word;
	} words[] = { { "id", &s->response_id }, { "model", &s->model } };
	bool failed = s->http_status != COUNT_NONE && (s->http_status < 200 || s->http_status > 299);
	enum redacted done = REDACT_NOTHING;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].word->n && redact_covers(h->rules, words[i].path)) {
			*words[i].word = str_of(SECRET_MARK);
			s->redacted = true;
		}
	if (s->http_status != COUNT_NONE && s->error_text.n &&
	    (asked_redacted || redact_covers(h->rules, "error.message"))) {
		s->error_text = code_of(s->error_text, &store->error);
		s->redacted = true;
	}
	if (s->raw.p)
		done = asked_redacted && failed ? REDACT_UNREADABLE :
			redact_json(h->rules, NULL, s->raw, &store->raw);
	if (done == REDACT_NOTHING)
		return;
	s->redacted = true;
	s->raw = done == REDACT_CHANGED ? buf_str(&store->raw) : (struct str){ NULL, 0 };
}

void hide_request(const struct hide *h, struct rec_request *q, struct kv *headers, struct buf *body)
{
	if (h->no_text)
		strip_request(q, headers);
	else if (h->rules)
		redact_request(h, q, body);
}

void hide_response(const struct hide *h, enum api_kind api, bool asked_redacted, struct rec_response *s,
		   struct hidden *store)
{
	events_init(&store->events, true, SIZE_MAX);
	buf_init(&store->raw, SIZE_MAX);
	buf_init(&store->error, 64);
	if (h->no_text) {
		strip_response(s, store);
	} else if (h->rules) {
		s->redacted |= hide_events(h->plans, api, asked_redacted, &s->events, &store->events);
		if (s->last)
			redact_words(h, asked_redacted, s, store);
	}
}

void hidden_release(struct hidden *store)
{
	events_release(&store->events);
	buf_release(&store->raw);
	buf_release(&store->error);
}
