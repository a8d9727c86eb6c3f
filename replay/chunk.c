#include <config.h>

#include "replay/chunk.h"

#include "formats/base/clock.h"

static int add(struct buf *b, struct str s)
{
	return s.n ? buf_add(b, s.p, s.n) : 0;
}

int chunk_string(struct buf *out, struct str s)
{
	size_t from = 0;
	int rc = buf_adds(out, "\"");

	for (size_t i = 0; i <= s.n && rc == 0; i++) {
		unsigned char c = i < s.n ? (unsigned char)s.p[i] : 0;

		if (i < s.n && c >= 0x20 && c != '"' && c != '\\')
			continue;
		rc = add(out, (struct str){ s.p + from, i - from });
		from = i + 1;
		if (rc == 0 && i < s.n)
			rc = c >= 0x20 ? buf_printf(out, "\\%c", c) : buf_printf(out, "\\u%04x", c);
	}
	return rc < 0 ? -1 : buf_adds(out, "\"");
}

static int count(struct buf *out, const char *name, int64_t v)
{
	return buf_printf(out, "\"%s\":%lld", name, (long long)v);
}

static int details(struct buf *out, const struct usage *u)
{
	int rc = 0;

	if (u->cached != COUNT_NONE)
		rc |= buf_printf(out, ",\"prompt_tokens_details\":{\"cached_tokens\":%lld}",
				 (long long)u->cached);
	if (u->reasoning != COUNT_NONE)
		rc |= buf_printf(out, ",\"completion_tokens_details\":{\"reasoning_tokens\":%lld}",
				 (long long)u->reasoning);
	return rc;
}

int chunk_usage(struct buf *out, const struct usage *u, int64_t completion)
{
	bool whole = completion == COUNT_NONE || completion == u->completion;
	int64_t total = whole ? u->total : COUNT_NONE;
	int rc = buf_adds(out, "{");

	if (completion == COUNT_NONE)
		completion = u->completion;
	if (u->prompt != COUNT_NONE && completion != COUNT_NONE)
		total = u->prompt + completion;
	if (u->prompt != COUNT_NONE)
		rc |= count(out, "prompt_tokens", u->prompt) | buf_adds(out, ",");
	if (total != COUNT_NONE)
		rc |= count(out, "total_tokens", total) | buf_adds(out, ",");
	rc |= completion != COUNT_NONE ? count(out, "completion_tokens", completion) :
	      buf_adds(out, "\"completion_tokens\":null");
	rc |= whole ? details(out, u) : 0;
	return rc | buf_adds(out, "}");
}

/* Lines of s, each behind a prefix; an empty s is one empty line. */
static int lines(struct buf *out, const char *prefix, struct str s)
{
	int rc = 0;

	do {
		const char *lf = s.n ? memchr(s.p, '\n', s.n) : NULL;
		size_t n = lf ? (size_t)(lf - s.p) : s.n;

		rc |= buf_adds(out, prefix) | add(out, (struct str){ s.p, n }) | buf_adds(out, "\n");
		n += lf ? 1 : 0;
		s = (struct str){ s.p + n, s.n - n };
	} while (s.n);
	return rc;
}

/* Events that are a wire event of their own, whatever the API. */
static int bare(struct buf *out, const struct event *e, bool *is_bare)
{
	*is_bare = true;
	switch (e->cls) {
	case EV_DONE:
		return buf_adds(out, "data: [DONE]\n\n");
	case EV_COMMENT:
		return lines(out, ":", e->text) | buf_adds(out, "\n");
	case EV_ERROR:
	case EV_OTHER:
		return lines(out, "data: ", e->text) | buf_adds(out, "\n");
	default:
		*is_bare = false;
		return 0;
	}
}

/* "key":"text" into the delta; *sep is what goes in front. */
static int member(struct buf *out, const char **sep, struct str key, struct str text)
{
	int rc = buf_adds(out, *sep) | chunk_string(out, key) | buf_adds(out, ":");

	*sep = ",";
	return rc | chunk_string(out, text);
}

/* Member of the delta that carries a text of the class; absent: none does. */
static struct str delta_key(const struct chunk_head *h, enum event_class cls)
{
	switch (cls) {
	case EV_ROLE:
		return str_of("role");
	case EV_CONTENT:
		return str_of("content");
	case EV_REFUSAL:
		return str_of("refusal");
	case EV_REASONING:
		return h->reasoning_key.p ? h->reasoning_key : str_of("reasoning_content");
	default:
		return str_of(NULL);
	}
}

static int tool_calls(struct buf *out, const char *sep, const struct event *p, size_t n,
		      int32_t choice)
{
	size_t tools = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i].choice != choice || p[i].cls != EV_TOOL)
			continue;
		rc |= tools++ ? buf_adds(out, ",") :
		      buf_adds(out, sep) | buf_adds(out, "\"tool_calls\":[");
		rc |= add(out, p[i].text);
	}
	return tools ? rc | buf_adds(out, "]") : 0;
}

static int delta(struct buf *out, const struct chunk_head *h, const struct event *p, size_t n,
		 int32_t choice)
{
	const char *sep = "";
	int rc = buf_adds(out, "\"delta\":{");

	for (size_t i = 0; i < n; i++) {
		struct str key = delta_key(h, p[i].cls);

		if (p[i].choice == choice && key.p)
			rc |= member(out, &sep, key, p[i].text);
	}
	return rc | tool_calls(out, sep, p, n, choice) | buf_adds(out, "}");
}

static int completion_text(struct buf *out, const struct event *p, size_t n, int32_t choice)
{
	struct str text = str_of("");

	for (size_t i = 0; i < n; i++) {
		if (p[i].choice == choice && p[i].cls == EV_CONTENT)
			text = p[i].text;
	}
	return buf_adds(out, "\"text\":") | chunk_string(out, text) |
	       buf_adds(out, ",\"logprobs\":null");
}

static int one_choice(struct buf *out, const struct chunk_head *h, const struct event *p, size_t n,
		      int32_t choice)
{
	struct str finish = { NULL, 0 };
	int rc = buf_printf(out, "{\"index\":%d,", choice);

	for (size_t i = 0; i < n; i++) {
		if (p[i].choice == choice && p[i].cls == EV_FINISH)
			finish = p[i].text;
	}
	rc |= h->api == API_COMPLETIONS ? completion_text(out, p, n, choice) :
	      delta(out, h, p, n, choice);
	rc |= buf_adds(out, ",\"finish_reason\":");
	rc |= finish.p ? chunk_string(out, finish) : buf_adds(out, "null");
	return rc | buf_adds(out, "}");
}

static bool seen_before(const struct event *p, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (p[k].choice == p[i].choice && p[k].cls != EV_USAGE)
			return true;
	}
	return false;
}

static int choices(struct buf *out, const struct chunk_head *h, const struct event *p, size_t n)
{
	const char *sep = "";
	int rc = buf_adds(out, "\"choices\":[");

	for (size_t i = 0; i < n; i++) {
		bool has = p[i].cls != EV_USAGE && (p[i].cls != EV_EMPTY || p[i].flags & EVF_CHOICES);

		if (!has || seen_before(p, i))
			continue;
		rc |= buf_adds(out, sep) | one_choice(out, h, p, n, p[i].choice);
		sep = ",";
	}
	return rc | buf_adds(out, "]");
}

static int usage_member(struct buf *out, const struct chunk_head *h, const struct event *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].cls == EV_USAGE && p[i].text.p)
			return buf_adds(out, ",\"usage\":") | add(out, p[i].text);
	}
	for (size_t i = 0; i < n; i++) {
		if (p[i].cum_tokens != COUNT_NONE)
			return buf_adds(out, ",\"usage\":") |
			       chunk_usage(out, &h->usage, p[i].cum_tokens);
	}
	return 0;
}

int chunk_sse(struct buf *out, const struct chunk_head *h, const struct event *parts, size_t n)
{
	bool is_bare;
	int rc = bare(out, parts, &is_bare);

	if (is_bare)
		return rc;
	rc |= buf_adds(out, "data: {\"id\":") | chunk_string(out, h->id);
	rc |= buf_printf(out, ",\"object\":\"%s\",\"created\":%lld,\"model\":",
			 h->api == API_COMPLETIONS ? "text_completion" : "chat.completion.chunk",
			 (long long)h->created_s);
	rc |= chunk_string(out, h->model) | buf_adds(out, ",");
	rc |= choices(out, h, parts, n) | usage_member(out, h, parts, n);
	return rc | buf_adds(out, "}\n\n");
}
