#include <config.h>

#include "replay/scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/unit.h"

enum { TOKENS_MAX = 100000000, TEXT_MAX = 1 << 16 };

static int parse_one(const char *p, size_t len, struct scenario *s, struct err *e)
{
	char text[SCENARIO_LABEL_MAX], *colon;

	if (len >= sizeof(text))
		return err_set(e, "'%.*s' is too long for INPUT:OUTPUT", SCENARIO_LABEL_MAX, p);
	memcpy(text, p, len);
	text[len] = '\0';
	memcpy(s->label, text, len + 1);
	colon = strchr(text, ':');
	if (!colon)
		return err_set(e, "'%s' is not INPUT:OUTPUT in tokens, as '8k:256'", s->label);
	*colon = '\0';
	if (unit_parse_count(text, &s->input_tokens) < 0 ||
	    unit_parse_count(colon + 1, &s->output_tokens) < 0 || s->input_tokens < 1 ||
	    s->output_tokens < 1 || s->input_tokens > TOKENS_MAX || s->output_tokens > TOKENS_MAX)
		return err_set(e, "'%s' is not INPUT:OUTPUT in tokens from 1 to %d", s->label,
			       TOKENS_MAX);
	return 0;
}

static bool is_there(const struct scenario *all, size_t n, const struct scenario *s)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].input_tokens == s->input_tokens &&
		    all[i].output_tokens == s->output_tokens)
			return true;
	return false;
}

int scenario_parse(const char *text, struct scenario **out, size_t *n, struct err *e)
{
	struct scenario *all = NULL;
	size_t k = 0;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		struct scenario *more = realloc(all, (k + 1) * sizeof(*all));

		if (!more) {
			err_set(e, "out of memory");
			break;
		}
		all = more;
		if (parse_one(p, len, &all[k], e) < 0)
			break;
		if (is_there(all, k, &all[k])) {
			err_set(e, "'%s' is there twice", all[k].label);
			break;
		}
		k++;
		p += len;
		if (!*p) {
			*out = all;
			*n = k;
			return 0;
		}
	}
	free(all);
	return -1;
}

static int digest(const struct scenario *sc, size_t n, char hex[DIGEST_HEX + 1])
{
	struct buf b;
	int rc = 0;

	buf_init(&b, TEXT_MAX);
	for (size_t i = 0; i < n; i++)
		rc |= buf_printf(&b, "%s%" PRId64 ":%" PRId64, i ? "," : "", sc[i].input_tokens,
				 sc[i].output_tokens);
	if (rc == 0)
		digest_bytes(b.p, b.n, hex);
	buf_release(&b);
	return rc;
}

int scenario_source(const struct scenario *sc, size_t n, struct source *s, struct err *e)
{
	struct record r;

	*s = (struct source){ .n = 0 };
	s->d.segments = calloc(1, sizeof(*s->d.segments));
	s->d.x = calloc(n, sizeof(*s->d.x));
	if (!s->d.segments || !s->d.x || digest(sc, n, s->digest) < 0) {
		source_release(s);
		return err_set(e, "out of memory");
	}
	record_init(&r, REC_HEADER);
	s->d.segments[0].header = r.u.header;
	s->d.n_segments = 1;
	s->d.n = n;
	for (size_t i = 0; i < n; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = (int64_t)i;
		r.u.request.input_tokens = sc[i].input_tokens;
		r.u.request.output_tokens = sc[i].output_tokens;
		s->d.x[i].req = r.u.request;
	}
	if (source_fill(s, e) < 0) {
		source_release(s);
		return -1;
	}
	return 0;
}
