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

void progress_text(const struct tally *t, int64_t concurrency, double tok_s, int64_t elapsed_ns,
		   char *out, size_t size)
{
	char level[32] = "", eta[48] = "";

	if (concurrency != COUNT_NONE)
		snprintf(level, sizeof(level), "  c=%" PRId64, concurrency);
	if (t->done > 0)
		snprintf(eta, sizeof(eta), "  ETA %.0f s", (double)elapsed_ns / 1e9 *
			 (double)(t->planned - t->done) / (double)t->done);
	snprintf(out, size, "%" PRId64 "/%" PRId64 "%s  ok %" PRId64 "  failed %" PRId64
		 "  %.0f tok/s%s", t->done, t->planned, level, t->ok, t->done - t->ok, tok_s, eta);
}

void progress_draw(struct progress *p, const struct tally *t, int64_t concurrency, int64_t now_ns)
{
	int64_t gap = now_ns - p->last_ns;
	double tok_s = gap > 0 ? (double)(t->token_events - p->last_events) * 1e9 / (double)gap : 0;
	char line[200];

	if (!p->on)
		return;
	progress_text(t, concurrency, tok_s, now_ns - p->begin_ns, line, sizeof(line));
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
