#include <config.h>

#include "replay/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t token_events(const struct events *ev)
{
	int64_t n = 0;

	for (size_t i = 0; i < ev->n; i++)
		n += ev->cls[i] == EV_CONTENT || ev->cls[i] == EV_REASONING ||
		     ev->cls[i] == EV_TOOL || ev->cls[i] == EV_REFUSAL;
	return n;
}

static void copy(char *to, size_t size, struct str s)
{
	snprintf(to, size, "%.*s", (int)(s.n < size ? s.n : size), s.p ? s.p : "");
}

static void add_failure(struct tally *t, const struct rec_response *r)
{
	struct str kind = r->error_kind.n ? r->error_kind : str_of(status_name(r->status));
	struct tally_kind *k;
	size_t i = 0;

	while (i < t->n_kinds && !str_is(kind, t->kinds[i].kind))
		i++;
	if (i == TALLY_KINDS)
		i--;
	k = &t->kinds[i];
	if (i == t->n_kinds) {
		t->n_kinds++;
		copy(k->kind, sizeof(k->kind), i == TALLY_KINDS - 1 ? str_of("other") : kind);
		copy(k->text, sizeof(k->text), r->error_text);
	}
	k->n++;
}

void tally_add(struct tally *t, const struct rec_response *r, int64_t *events)
{
	int64_t n = token_events(&r->events);

	t->token_events += n;
	*events += n;
	if (!r->last)
		return;
	t->done++;
	if (r->status == ST_OK)
		t->ok++;
	else
		add_failure(t, r);
	t->output_tokens += r->usage.completion != COUNT_NONE ? r->usage.completion : *events;
}

void tally_failures(const struct tally *t, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	for (size_t i = 0; i < t->n_kinds && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%" PRId64 " %s", i ? ", " : "",
				       t->kinds[i].n, t->kinds[i].kind);
}
