#include <config.h>

#include "replay/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/wire/api.h"
#include "replay/pieces.h"

enum { CHUNK = 1 << 16 };

static int digest_stream(FILE *in, FILE *copy, char hex[DIGEST_HEX + 1])
{
	struct digest *d = digest_create();
	char chunk[CHUNK];
	size_t n;
	int rc = 0;

	if (!d)
		return -1;
	while (rc == 0 && (n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
		digest_add(d, chunk, n);
		if (copy && fwrite(chunk, 1, n, copy) != n)
			rc = -1;
	}
	digest_finish(d, hex);
	return rc == 0 && !ferror(in) && !(copy && fflush(copy) == EOF) ? 0 : -1;
}

/* stdin can be read once, but is needed twice: for its digest and for its records. */
static int spool(char *path, size_t size, char hex[DIGEST_HEX + 1], struct err *e)
{
	const char *dir = getenv("TMPDIR");
	FILE *f;
	int fd, rc;

	snprintf(path, size, "%s/tokreplay.XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return err_set(e, "%s: %s (set TMPDIR to a directory with room)", path, strerror(errno));
	rc = digest_stream(stdin, f, hex);
	if (fclose(f) == EOF || rc < 0) {
		err_set(e, "stdin: %s while copying it to %s", strerror(errno), path);
		unlink(path);
		return -1;
	}
	return 0;
}

int source_digest(const char *path, char hex[DIGEST_HEX + 1], struct err *e)
{
	FILE *f = fopen(path, "r");
	int rc;

	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	rc = digest_stream(f, NULL, hex);
	if (rc < 0)
		err_set(e, "%s: %s", path, strerror(errno ? errno : EIO));
	fclose(f);
	return rc;
}

int source_load(const char *path, bool allow_cut, struct source *s, bool *cut, struct err *e)
{
	char tmp[4096];
	bool from_stdin = strcmp(path, "-") == 0;
	int rc;

	*s = (struct source){ .n = 0 };
	if (from_stdin)
		rc = spool(tmp, sizeof(tmp), s->digest, e);
	else
		rc = source_digest(path, s->digest, e);
	if (rc < 0)
		return -1;
	rc = trace_data_load(from_stdin ? tmp : path, true, &s->d, e);
	if (from_stdin)
		unlink(tmp);
	if (rc < 0)
		return -1;
	*cut = rc == 1;
	if (*cut && !allow_cut) {
		trace_data_release(&s->d);
		return err_wrap(e, "the trace is cut (--allow-truncated replays what is there)");
	}
	if (source_fill(s, e) < 0) {
		source_release(s);
		return -1;
	}
	return 0;
}

static bool is_warmup(const struct trace_data *d, const struct exchange *x)
{
	const struct segment *seg = &d->segments[x->segment];

	for (size_t i = 0; i < seg->n_phases; i++)
		if (seg->phases[i].id == x->req.phase)
			return seg->phases[i].kind == PHASE_WARMUP;
	return false;
}

static bool is_foreign(const struct exchange *x)
{
	if (x->req.method.n && !str_is(x->req.method, "POST"))
		return true;
	return x->req.endpoint.n && api_of_path(x->req.endpoint) == API_NONE;
}

/* Segments have their own epochs; the wall clock puts them on one line. */
static int64_t arrival(const struct trace_data *d, const struct exchange *x)
{
	int64_t t = x->req.scheduled_ns, first, mine;

	if (t == NS_NONE)
		t = x->req.queued_ns;
	if (t == NS_NONE)
		t = x->req.sent_ns;
	if (t == NS_NONE || x->segment == 0)
		return t;
	first = d->segments[0].header.epoch_wall_ns;
	mine = d->segments[x->segment].header.epoch_wall_ns;
	return first == NS_NONE || mine == NS_NONE ? t : t + (mine - first);
}

/* The files of one recording, one after another, have one clock and one run of ids. */
static bool same_recording(const struct trace_data *d, int64_t a, int64_t b)
{
	const struct rec_header *x = &d->segments[a].header, *y = &d->segments[b].header;

	return a == b || (x->epoch_mono_ns != NS_NONE && x->epoch_mono_ns == y->epoch_mono_ns &&
			  x->epoch_wall_ns == y->epoch_wall_ns);
}

/* Item of an earlier request, found from the end: parents are near. */
static int64_t find_parent(const struct source *s, const struct exchange *x)
{
	if (x->req.parent == COUNT_NONE)
		return -1;
	for (size_t i = s->n; i-- > 0 && same_recording(&s->d, s->items[i].x->segment, x->segment);)
		if (s->items[i].x->req.id == x->req.parent)
			return (int64_t)i;
	return -1;
}

static int fill_item(const struct source *s, size_t place, struct source_item *it, struct err *e)
{
	const struct exchange *x = &s->d.x[place];
	const struct rec_request *q = &x->req;

	*it = (struct source_item){ .x = x, .arrival_ns = arrival(&s->d, x) };
	it->id = s->d.n_segments > 1 ? (int64_t)place : q->id;
	it->parent = find_parent(s, x);
	it->synthetic = !q->body.p;
	it->redacted = q->redacted && q->body.p;
	it->input_tokens = q->input_tokens;
	it->output_tokens = q->output_tokens;
	if (it->input_tokens == COUNT_NONE && x->has_response)
		it->input_tokens = x->res.usage.prompt;
	if (it->output_tokens == COUNT_NONE && x->has_response)
		it->output_tokens = x->res.usage.completion;
	if (it->synthetic && it->input_tokens == COUNT_NONE && q->prompt_bytes == COUNT_NONE &&
	    q->body_len == COUNT_NONE)
		return err_set(e, "request %" PRId64 " has neither a body nor an input length, so "
			       "nothing can be sent for it", q->id);
	return 0;
}

int source_fill(struct source *s, struct err *e)
{
	s->items = calloc(s->d.n ? s->d.n : 1, sizeof(*s->items));
	if (!s->items)
		return err_set(e, "out of memory");
	for (size_t i = 0; i < s->d.n; i++) {
		if (is_foreign(&s->d.x[i])) {
			s->foreign++;
			continue;
		}
		if (is_warmup(&s->d, &s->d.x[i])) {
			s->warmups++;
			continue;
		}
		if (fill_item(s, i, &s->items[s->n], e) < 0)
			return -1;
		s->redacted += s->items[s->n].redacted;
		s->n++;
	}
	if (s->n == 0)
		return err_set(e, "the trace holds no chat or completions request to replay");
	return pieces_fill(s) < 0 ? err_set(e, "out of memory") : 0;
}

void source_release(struct source *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].pieces);
	free(s->items);
	s->items = NULL;
	s->n = 0;
	trace_data_release(&s->d);
}

bool source_has_arrivals(const struct source *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].arrival_ns == NS_NONE)
			return false;
	return true;
}
