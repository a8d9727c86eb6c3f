#include <config.h>

#include "replay/verify_out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/texts.h"

enum { NAME_MAX_LEN = 64, PLACE_MAX = 128 };

static double share(const struct verify_group *g)
{
	size_t n = verify_compared(g);

	return n ? (double)g->identical / (double)n : NAN;
}

/* ---- for people ---- */

static void add_row(struct table *t, const struct verify *v, const struct verify_group *g)
{
	table_text(t, str_of(verify_against_name(v->against)));
	table_int(t, g->concurrency);
	table_int(t, g->reference_concurrency);
	table_int(t, (int64_t)g->pairs);
	table_int(t, (int64_t)verify_compared(g));
	table_int(t, (int64_t)g->identical);
	table_num(t, share(g));
	table_int(t, (int64_t)g->same_events);
}

/* "token 37", "tokens 8 to 11", or where tokens are not known "event 3"; or "the end". */
static void place(const struct difference_side *s, char out[PLACE_MAX])
{
	if (s->ended)
		snprintf(out, PLACE_MAX, "the end");
	else if (s->token == COUNT_NONE)
		snprintf(out, PLACE_MAX, "event %zu", s->event);
	else if (s->tokens > 1)
		snprintf(out, PLACE_MAX, "tokens %" PRId64 " to %" PRId64, s->token,
			 s->token + s->tokens - 1);
	else
		snprintf(out, PLACE_MAX, "token %" PRId64, s->token);
}

static void add_concurrency(const struct exchange *x, int64_t c, char out[PLACE_MAX])
{
	if (c == COUNT_NONE)
		snprintf(out, PLACE_MAX, "request %" PRId64, x->req.id);
	else
		snprintf(out, PLACE_MAX, "request %" PRId64 " (C=%" PRId64 ")", x->req.id, c);
}

/* A text in quotes, line feeds as \n; the caller frees it. */
static char *quoted(struct str s)
{
	json_t *j = texts_string(s);
	char *text = json_dumps(j, JSON_ENCODE_ANY);

	json_decref(j);
	return text;
}

static void note_difference(struct table *t, const struct verify_pair *p)
{
	char channel[NAME_MAX_LEN], a[PLACE_MAX], b[PLACE_MAX], who[PLACE_MAX], whom[PLACE_MAX];
	char *before = quoted(p->d.before), *x = quoted(p->d.a.text), *y = quoted(p->d.b.text);

	channel_name(p->d.channel, channel, sizeof(channel));
	place(&p->d.a, a);
	place(&p->d.b, b);
	add_concurrency(p->x, p->concurrency, who);
	add_concurrency(p->reference, p->reference_concurrency, whom);
	table_note(t, "%s against %s: %s differs at %s%s%s, after %zu characters: %s, then %s | %s",
		   who, whom, channel, a, strcmp(a, b) ? " | " : "", strcmp(a, b) ? b : "",
		   p->d.chars, before ? before : "", x ? x : "", y ? y : "");
	free(before);
	free(x);
	free(y);
}

static void add_notes(struct table *t, const struct verify *v)
{
	const struct verify_group *g = &v->all;

	for (size_t i = 0; i < v->n_differ && i < VERIFY_NOTES_MAX; i++)
		note_difference(t, &v->differ[i]);
	if (v->n_differ > VERIFY_NOTES_MAX)
		table_note(t, "and %zu more; --format json has them all", v->n_differ - VERIFY_NOTES_MAX);
	if (g->failed)
		table_note(t, "%s: %zu pairs not compared, one of the two did not end ok",
			   verify_against_name(v->against), g->failed);
	if (g->no_text)
		table_note(t, "%s: %zu pairs not compared, one of the two has no text (--no-text)",
			   verify_against_name(v->against), g->no_text);
	if (g->other_body)
		table_note(t, "%s: in %zu pairs the requests' bodies differ (other model, other limits)",
			   verify_against_name(v->against), g->other_body);
	if (g->other_count)
		table_note(t, "%s: in %zu identical pairs the engine counted another number of tokens",
			   verify_against_name(v->against), g->other_count);
	if (v->unpaired)
		table_note(t, "%s: %zu requests have no counterpart",
			   verify_against_name(v->against), v->unpaired);
}

static int print_table(const struct verify *v, size_t n, enum table_format f, FILE *out,
		       struct err *e)
{
	static const struct col cols[] = {
		{ "against", "against", COL_TEXT, 0 },
		{ "concurrency", "C", COL_INT, 0 },
		{ "reference_concurrency", "its C", COL_INT, 0 },
		{ "pairs", "pairs", COL_INT, 0 },
		{ "compared", "compared", COL_INT, 0 },
		{ "identical", "identical", COL_INT, 0 },
		{ "identical_share", "share", COL_NUM, 4 },
		{ "same_events", "in the same events", COL_INT, 0 },
	};
	struct table *t = table_create("Outputs compared", cols, sizeof(cols) / sizeof(*cols));
	int rc;

	if (!t)
		return err_set(e, "out of memory");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < v[i].n_groups; k++)
			add_row(t, &v[i], &v[i].groups[k]);
		add_notes(t, &v[i]);
	}
	rc = table_print(t, f, out, e);
	table_free(t);
	return rc;
}

/* ---- JSON ---- */

static json_t *count(int64_t n)
{
	return n == COUNT_NONE ? json_null() : json_integer(n);
}

static json_t *side_object(const struct exchange *x, const struct difference_side *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", json_integer(x->req.id));
	json_object_set_new(o, "ended", json_boolean(s->ended));
	json_object_set_new(o, "event", json_integer((json_int_t)s->event));
	json_object_set_new(o, "token", count(s->token));
	json_object_set_new(o, "event_tokens", count(s->tokens));
	json_object_set_new(o, "text", texts_string(s->text));
	return o;
}

static json_t *difference_object(const struct verify_pair *p)
{
	json_t *o = json_object();
	char channel[NAME_MAX_LEN];

	channel_name((struct channel_key){ 0, p->d.channel.kind, p->d.channel.call }, channel,
		     sizeof(channel));
	json_object_set_new(o, "source_id", count(p->x->req.source_id));
	json_object_set_new(o, "concurrency", count(p->concurrency));
	json_object_set_new(o, "reference_concurrency", count(p->reference_concurrency));
	json_object_set_new(o, "same_body", json_boolean(p->same_body));
	json_object_set_new(o, "choice", json_integer(p->d.channel.choice));
	json_object_set_new(o, "channel", json_string(channel));
	json_object_set_new(o, "equal_chars", json_integer((json_int_t)p->d.chars));
	json_object_set_new(o, "before", texts_string(p->d.before));
	json_object_set_new(o, "run", side_object(p->x, &p->d.a));
	json_object_set_new(o, "reference", side_object(p->reference, &p->d.b));
	return o;
}

static json_t *group_object(const struct verify_group *g)
{
	json_t *o = json_object();
	double s = share(g);

	json_object_set_new(o, "concurrency", count(g->concurrency));
	json_object_set_new(o, "reference_concurrency", count(g->reference_concurrency));
	json_object_set_new(o, "pairs", json_integer((json_int_t)g->pairs));
	json_object_set_new(o, "compared", json_integer((json_int_t)verify_compared(g)));
	json_object_set_new(o, "failed", json_integer((json_int_t)g->failed));
	json_object_set_new(o, "no_text", json_integer((json_int_t)g->no_text));
	json_object_set_new(o, "identical", json_integer((json_int_t)g->identical));
	json_object_set_new(o, "identical_share", isnan(s) ? json_null() : json_real(s));
	json_object_set_new(o, "same_events", json_integer((json_int_t)g->same_events));
	json_object_set_new(o, "other_body", json_integer((json_int_t)g->other_body));
	json_object_set_new(o, "other_token_count", json_integer((json_int_t)g->other_count));
	return o;
}

static json_t *comparison_object(const struct verify *v)
{
	json_t *o = json_object(), *groups = json_array(), *differences = json_array();

	for (size_t i = 0; i < v->n_groups; i++)
		json_array_append_new(groups, group_object(&v->groups[i]));
	for (size_t i = 0; i < v->n_differ; i++)
		json_array_append_new(differences, difference_object(&v->differ[i]));
	json_object_set_new(o, "against", json_string(verify_against_name(v->against)));
	json_object_set_new(o, "all", group_object(&v->all));
	json_object_set_new(o, "unpaired", json_integer((json_int_t)v->unpaired));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "differences", differences);
	return o;
}

static int print_json(const struct verify *v, size_t n, FILE *out, struct err *e)
{
	json_t *root = json_object(), *all = json_array();
	int rc;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, comparison_object(&v[i]));
	json_object_set_new(root, "format", json_string("toktrace-verify"));
	json_object_set_new(root, "version", json_integer(1));
	json_object_set_new(root, "comparisons", all);
	rc = json_dumpf(root, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(root);
	if (rc < 0 || fputc('\n', out) == EOF || fflush(out) != 0)
		return err_set(e, "cannot write: %s", strerror(errno));
	return 0;
}

int verify_print(const struct verify *v, size_t n, enum table_format f, FILE *out, struct err *e)
{
	return f == TABLE_FMT_JSON ? print_json(v, n, out, e) : print_table(v, n, f, out, e);
}
