/* live: a turn with the answers of the run, built from made conversations. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/live.h"

#define USER(t) "{\"role\":\"user\",\"content\":\"" t "\"}"
#define SAID(t) "{\"role\":\"assistant\",\"content\":\"" t "\"}"
#define BODY(m) "{\"model\":\"m\",\"messages\":[" m "],\"stream\":true}"

static const char called[] = BODY(USER("a") ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\"}]},"
				  "{\"role\":\"tool\",\"content\":\"7\"}");

/* The plan of one conversation; each body is the next turn. */
struct world {
	struct segment seg;
	struct exchange x[3];
	struct source s;
	struct plan p;
	struct load load;
};

static void make_world(struct world *w, const char *const *bodies, size_t n)
{
	struct plan_opts o = { .loads = &w->load, .n_levels = 1, .live_history = true,
			       .recorded = { 1, NS_NONE, NS_NONE, NS_NONE }, .shard = { 0, 1 },
			       .req = { .max_tokens = COUNT_NONE } };
	struct record r;
	struct err e;

	memset(w, 0, sizeof(*w));
	w->load = load_closed(1);
	record_init(&r, REC_HEADER);
	w->seg.header = r.u.header;
	for (size_t i = 0; i < n; i++) {
		record_init(&r, REC_REQUEST);
		r.u.request.id = (int64_t)i;
		r.u.request.body = str_of(bodies[i]);
		r.u.request.parent = i ? (int64_t)i - 1 : COUNT_NONE;
		w->x[i].req = r.u.request;
	}
	w->s.d = (struct trace_data){ .segments = &w->seg, .n_segments = 1, .x = w->x, .n = n };
	assert_int_equal(source_fill(&w->s, &e), 0);
	assert_int_equal(plan_build(&w->s, &o, &w->p, &e), 0);
}

static void end_world(struct world *w)
{
	plan_release(&w->p);
	free(w->s.items);
}

/* The answer comes in two parts; a NULL one fails. */
static void answers(struct live *l, size_t i, const char *text)
{
	struct event ev = { .cls = EV_CONTENT, .cum_tokens = COUNT_NONE };
	struct record r;

	record_init(&r, REC_RESPONSE);
	events_init(&r.u.response.events, true, 1000);
	for (int part = 0; part < 2; part++) {
		events_clear(&r.u.response.events);
		if (text) {
			ev.text = str_of(text);
			ev.text.n = part ? strlen(text) - 1 : 1;
			ev.text.p += part;
			ev.text_len = ev.text.n;
			assert_int_equal(events_add(&r.u.response.events, &ev), 0);
		}
		r.u.response.last = part == 1;
		r.u.response.status = text ? ST_OK : ST_ERROR;
		assert_int_equal(live_response(l, i, &r.u.response), 0);
	}
	events_release(&r.u.response.events);
}

/* want NULL: as planned. */
static void assert_body(struct world *w, struct live *l, size_t i, const char *want)
{
	struct str planned;
	struct buf tmp, out;
	struct err e;
	int rc;

	buf_init(&tmp, 10000);
	buf_init(&out, 10000);
	assert_int_equal(plan_body(&w->p, i, &tmp, &planned, &e), 0);
	rc = live_body(l, i, planned, &out, &e);
	assert_int_equal(rc, want != NULL);
	if (want)
		assert_string_equal(buf_cstr(&out), want);
	buf_release(&tmp);
	buf_release(&out);
}

static void answers_go_into_later_turns(void **state)
{
	static const char *const bodies[] = {
		BODY(USER("a")), BODY(USER("a") "," SAID("b") "," USER("c")),
		BODY(USER("a") "," SAID("b") "," USER("c") "," SAID("d") "," USER("e")),
	};
	static struct world w;
	struct live *l;

	(void)state;
	make_world(&w, bodies, 3);
	assert_false(w.p.e[0].live);
	assert_true(w.p.e[2].live);
	l = live_create(&w.p);
	assert_body(&w, l, 0, NULL);
	answers(l, 0, "other");
	assert_body(&w, l, 1, BODY(USER("a") "," SAID("other") "," USER("c")));
	answers(l, 1, "new");
	assert_body(&w, l, 2, BODY(USER("a") "," SAID("other") "," USER("c") "," SAID("new") "," USER("e")));
	live_free(l);

	/* The same answers: as planned.  A failed one: what was recorded, behind what was said. */
	l = live_create(&w.p);
	answers(l, 0, "b");
	answers(l, 0, NULL);
	assert_body(&w, l, 1, NULL);
	live_free(l);
	l = live_create(&w.p);
	answers(l, 0, "other");
	assert_body(&w, l, 1, BODY(USER("a") "," SAID("other") "," USER("c")));
	answers(l, 1, NULL);
	assert_body(&w, l, 2, BODY(USER("a") "," SAID("other") "," USER("c") "," SAID("d") "," USER("e")));
	live_free(l);
	end_world(&w);
}

static void what_has_another_form_stays(void **state)
{
	static const char *const edited[] = { BODY(USER("a")), BODY(USER("A") "," SAID("b") "," USER("c")) };
	static const char *const with_call[] = { BODY(USER("a")), called };
	static const char *const short_one[] = { BODY(USER("a")), BODY(USER("a")) };
	static const char *const *const all[] = { edited, with_call, short_one };
	static struct world w;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct live *l;

		make_world(&w, all[i], 2);
		l = live_create(&w.p);
		answers(l, 0, "other");
		assert_body(&w, l, 1, NULL);
		live_free(l);
		end_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_go_into_later_turns),
		cmocka_unit_test(what_has_another_form_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
