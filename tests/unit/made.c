#include <config.h>

#include "tests/unit/made.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

/* One exchange under construction; sent at 0 unless said. */
struct made {
	struct exchange x[MADE_MAX];
	struct segment segment;
	struct rec_phase phases[2];
	struct trace_data d;
};
static struct made m;

struct exchange *begin(int64_t sent_ms)
{
	struct exchange *x = &m.x[m.d.n];
	struct record r;

	record_init(&r, REC_REQUEST);
	x->req = r.u.request;
	record_init(&r, REC_RESPONSE);
	x->res = r.u.response;
	x->segment = 0;
	x->has_response = true;
	x->req.id = (int64_t)m.d.n++;
	x->req.phase = 1;
	x->req.sent_ns = sent_ms * MS;
	x->req.input_tokens = 10;
	events_init(&x->res.events, true, 1 << 20);
	x->res.last = true;
	x->res.status = ST_OK;
	return x;
}

void event(struct exchange *x, int64_t at_ms, enum event_class cls, int32_t choice, int64_t cum,
	   unsigned flags, const char *text)
{
	struct event e = { at_ms * MS, cls, flags, choice, cum, str_of(text), text ? strlen(text) : 0 };

	assert_int_equal(events_add(&x->res.events, &e), 0);
}

void token(struct exchange *x, int64_t at_ms)
{
	event(x, at_ms, EV_CONTENT, 0, COUNT_NONE, EVF_CHOICES, "t");
}

void token_cum(struct exchange *x, int64_t at_ms, int64_t cum)
{
	event(x, at_ms, EV_CONTENT, 0, cum, EVF_CHOICES, "t");
}

void finish(struct exchange *x, int64_t at_ms, int64_t n)
{
	event(x, at_ms, EV_FINISH, 0, COUNT_NONE, EVF_CHOICES, "stop");
	x->res.usage.completion = n;
	x->res.end_ns = at_ms * MS;
}

int made_reset(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	m.phases[0] = (struct rec_phase){ .id = 0, .kind = PHASE_WARMUP, .concurrency = 4, .rate_hz = NAN };
	m.phases[1] = (struct rec_phase){ .id = 1, .kind = PHASE_ROUND, .concurrency = 4, .rate_hz = NAN };
	m.segment.phases = m.phases;
	m.segment.n_phases = 2;
	health_init(&m.segment.client);
	m.d = (struct trace_data){ .segments = &m.segment, .n_segments = 1, .x = m.x };
	return 0;
}

int made_release(void **state)
{
	(void)state;
	for (size_t i = 0; i < m.d.n; i++)
		events_release(&m.x[i].res.events);
	return 0;
}

struct analysis analyse(void)
{
	struct analysis_opts o = { .goodput = { NAN, NAN, NAN, false } };
	struct analysis a;
	struct err e = { "" };

	if (analysis_of(&m.d, 1, &o, &a, &e) < 0)
		fail_msg("%s", e.msg);
	return a;
}

void near(double got, double want)
{
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) < 1e-9 * (1 + fabs(want))))
		fail_msg("got %.12g, want %.12g", got, want);
}

void gaps_are(const struct choice *c, size_t n, const double *want)
{
	assert_int_equal(c->n_gaps, n);
	for (size_t i = 0; i < n; i++)
		near(c->gaps_ms[i], want[i]);
}

void failed(enum status s, const char *kind)
{
	struct exchange *x = begin(0);

	x->res.status = s;
	x->res.error_kind = str_of(kind);
	x->res.end_ns = 5 * MS;
}
