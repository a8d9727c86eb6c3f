#include <config.h>

#include "tests/unit/talk.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

void talk_init(struct talk *m)
{
	static const int64_t levels[] = { 1, 1, 8 };

	*m = (struct talk){ .d = { .n_segments = 1 } };
	for (int i = 0; i < 3; i++)
		m->phases[i] = (struct rec_phase){ .id = i, .kind = i ? PHASE_ROUND : PHASE_WARMUP,
						   .concurrency = levels[i], .rate_hz = NAN };
	m->segment.phases = m->phases;
	m->segment.n_phases = 3;
	m->d.segments = &m->segment;
	m->d.x = m->x;
}

void talk_release(struct talk *m)
{
	for (size_t i = 0; i < m->d.n; i++)
		events_release(&m->x[i].res.events);
}

struct exchange *ask(struct talk *m, int64_t phase, const char *body)
{
	struct exchange *x = &m->x[m->d.n];
	struct record r;

	record_init(&r, REC_REQUEST);
	x->req = r.u.request;
	record_init(&r, REC_RESPONSE);
	x->res = r.u.response;
	x->req.id = (int64_t)m->d.n++;
	x->req.phase = phase;
	x->req.body_digest = str_of(body);
	x->has_response = x->res.last = true;
	x->res.status = ST_OK;
	events_init(&x->res.events, true, 1 << 20);
	return x;
}

void add(struct exchange *x, enum event_class cls, int32_t choice, unsigned flags, int64_t cum,
	 const char *text)
{
	struct event e = { 0, cls, flags | EVF_CHOICES, choice, cum, str_of(text),
			   text ? strlen(text) : 0 };

	assert_int_equal(events_add(&x->res.events, &e), 0);
}

void say(struct exchange *x, const char *text)
{
	add(x, EV_CONTENT, 0, 0, COUNT_NONE, text);
}

void finish(struct exchange *x, const char *why, int64_t tokens)
{
	add(x, EV_FINISH, 0, 0, COUNT_NONE, why);
	x->res.usage.completion = tokens;
}
