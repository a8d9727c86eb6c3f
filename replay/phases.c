#include <config.h>

#include "replay/phases.h"

#include <stdlib.h>

int phases_init(struct phases *p, const struct runlog *log)
{
	*p = (struct phases){ .log = log };
	p->s = calloc(log->plan->n_phases, sizeof(*p->s));
	return p->s ? 0 : -1;
}

void phases_release(struct phases *p)
{
	free(p->s);
	p->s = NULL;
}

int phases_begin(struct phases *p, size_t phase, int64_t begin_ns, struct err *e)
{
	p->now = phase;
	p->s[phase] = (struct phase_state){ .begin_ns = begin_ns, .begun = true, .sending = true };
	return runlog_phase(p->log, phase, begin_ns, NS_NONE, NULL, e);
}

static struct phase_state *state_of(struct phases *p, size_t i)
{
	return &p->s[p->log->plan->e[i].phase];
}

void phases_sent(struct phases *p, size_t i)
{
	struct phase_state *s = state_of(p, i);

	/* A turn that had waited for its parent until now: the phase ends once more. */
	s->closed = false;
	s->open++;
}

void phases_unsent(struct phases *p)
{
	p->s[p->now].unsent++;
}

void phases_ended(struct phases *p, size_t i, const struct rec_response *last)
{
	struct phase_state *s = state_of(p, i);

	s->open--;
	s->ended++;
	s->cancelled += last->status == ST_CANCELLED;
	checks_add(&s->checks, p->log->plan, i, last);
}

void phases_sending_over(struct phases *p, bool timed_out)
{
	p->s[p->now].sending = false;
	p->s[p->now].timed_out = timed_out;
}

static const char *verdict_of(const struct phase_state *s)
{
	if (s->cancelled || s->unsent)
		return "cut off";
	if (s->timed_out)
		return "time over";
	return checks_mark(&s->checks) ? checks_mark(&s->checks) : "ok";
}

/* While the run goes on: it may be worth stopping. */
static void alarm_of(const struct phases *p, size_t phase)
{
	char text[320];

	checks_text(&p->s[phase].checks, text, sizeof(text));
	if (*text && !p->quiet)
		warn("phase %zu: %s", phase, text);
}

int phases_close(struct phases *p, int64_t now_ns, struct err *e)
{
	for (size_t i = 0; i <= p->now; i++) {
		struct phase_state *s = &p->s[i];

		if (!s->begun || s->closed || s->sending || s->open)
			continue;
		s->closed = true;
		alarm_of(p, i);
		if (runlog_phase(p->log, i, s->begin_ns, now_ns, verdict_of(s), e) < 0)
			return -1;
	}
	return 0;
}

int phases_cut(struct phases *p, int64_t now_ns, const char *verdict, struct err *e)
{
	for (size_t i = 0; i <= p->now; i++) {
		struct phase_state *s = &p->s[i];

		if (!s->begun || s->closed)
			continue;
		s->closed = true;
		if (runlog_phase(p->log, i, s->begin_ns, now_ns, verdict, e) < 0)
			return -1;
	}
	return 0;
}
