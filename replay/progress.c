#include <config.h>

#include "replay/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

void progress_init(struct progress *p, bool quiet, int64_t now_ns)
{
	*p = (struct progress){ .on = !quiet && isatty(STDERR_FILENO),
				.begin_ns = now_ns, .last_ns = now_ns };
}

/* How long it may still take. */
static void time_left(const struct tally *t, const struct progress_level *l, int64_t elapsed_ns,
		      char *out, size_t size)
{
	*out = '\0';
	if (l->left_ns != INT64_MAX)
		snprintf(out, size, "  %.0f s left", l->left_ns > 0 ? (double)l->left_ns / 1e9 : 0);
	else if (t->done > 0)
		snprintf(out, size, "  ETA %.0f s", (double)elapsed_ns / 1e9 *
			 (double)(t->planned - t->done) / (double)t->done);
}

void progress_text(const struct tally *t, const struct progress_level *l, double tok_s,
		   int64_t elapsed_ns, char *out, size_t size)
{
	char of[32] = "", level[32] = "", left[48];

	if (l->left_ns == INT64_MAX)
		snprintf(of, sizeof(of), "/%" PRId64, t->planned);
	if (l->concurrency != COUNT_NONE)
		snprintf(level, sizeof(level), "  c=%" PRId64, l->concurrency);
	time_left(t, l, elapsed_ns, left, sizeof(left));
	snprintf(out, size, "%" PRId64 "%s%s  ok %" PRId64 "  failed %" PRId64 "  %.0f tok/s%s",
		 t->done, of, level, t->ok, t->done - t->ok, tok_s, left);
}

void progress_draw(struct progress *p, const struct tally *t, const struct progress_level *l,
		   int64_t now_ns)
{
	int64_t gap = now_ns - p->last_ns;
	double tok_s = gap > 0 ? (double)(t->token_events - p->last_events) * 1e9 / (double)gap : 0;
	char line[200];

	if (!p->on)
		return;
	progress_text(t, l, tok_s, now_ns - p->begin_ns, line, sizeof(line));
	fprintf(stderr, "\r%s\033[K", line);
	p->drawn = true;
	p->last_ns = now_ns;
	p->last_events = t->token_events;
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
