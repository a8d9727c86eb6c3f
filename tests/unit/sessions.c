/* sessions: what goes on from what, told by the rules of record/sessions.h, against a naive reference that remembers all texts. */
#include <config.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/rng.h"
#include "record/sample.h"
#include "record/sessions.h"

struct world {
	struct mac *salt;
	struct sessions *s;
	struct canon canon;
	int64_t next;
};

static void open_world(struct world *w, size_t max, double share)
{
	w->salt = mac_create(str_of("a salt for the tests"));
	w->s = sessions_create(&(struct sessions_opts){ .salt = w->salt, .share = share, .max = max });
	canon_init(&w->canon);
	w->next = 0;
}

static void close_world(struct world *w)
{
	canon_release(&w->canon);
	sessions_free(w->s);
	mac_free(w->salt);
}

static struct session ask_as(struct world *w, enum api_kind api, const char *label, const char *body)
{
	struct session out;
	struct session_ask a = { .api = api, .model = str_of("m"), .canon = &w->canon, .label = str_of(label), .id = w->next++ };

	assert_int_equal(canon_read(&w->canon, api, str_of(body)), 0);
	sessions_ask(w->s, &a, &out);
	return out;
}

static void answer_as(struct world *w, const struct session *q, const char *text, bool ok, const char *id, const char *context)
{
	struct reply r;
	struct session_end e = { .reply = &r, .ok = ok, .response_id = str_of(id), .context = str_of(context) };

	assert_int_equal(reply_init(&r), 0);
	r.roll = q->roll;
	for (const char *p = text; *p; p++) /* in pieces, as it streams */
		reply_add(&r, (struct str){ p, 1 });
	sessions_end(w->s, q->ref, &e);
	reply_release(&r);
}

/* Messages: "S:.. U:.. A:..", one letter a role, separated by '/'. */
static struct session say(struct world *w, const char *talk)
{
	char body[4096] = "{\"messages\":[", *p = body + strlen(body), *end = body + sizeof(body);

	for (const char *m = talk; *m; m += *m == '/') {
		size_t n = strcspn(m, "/");
		const char *role = *m == 'S' ? "system" : *m == 'U' ? "user" : *m == 'A' ? "assistant" : "tool";

		p += snprintf(p, (size_t)(end - p), "%s{\"role\":\"%s\",\"content\":\"%.*s\"}", p[-1] == '[' ? "" : ",", role, (int)n - 1, m + 1);
		m += n;
	}
	snprintf(p, (size_t)(end - p), "]}");
	return ask_as(w, API_CHAT, NULL, body);
}

static void answer(struct world *w, const struct session *q, const char *text)
{
	answer_as(w, q, text, true, NULL, NULL);
}

static void same_session(const struct session *a, const struct session *b)
{
	assert_string_equal(a->label, b->label);
}

static void turns(void **state)
{
	struct world w;
	struct session a, b, c, again, other;

	(void)state;
	open_world(&w, 100, 1);
	a = say(&w, "Sbe brief/Uhi");
	assert_true(a.inferred && a.kept && a.turn == 0 && a.parent == COUNT_NONE);
	answer(&w, &a, "hello");
	b = say(&w, "Sbe brief/Uhi/Ahello/Uwhy");
	same_session(&a, &b);
	assert_true(b.inferred && b.turn == 1 && b.parent == 0);
	/* A tool's result is a turn too; the client trimmed the answer. */
	answer(&w, &b, "\n because ");
	c = say(&w, "Sbe brief/Uhi/Ahello/Uwhy/Abecause/T42");
	same_session(&a, &c);
	assert_true(c.turn == 2 && c.parent == 1);
	/* The second turn once more, and with an edited question: siblings. */
	again = say(&w, "Sbe brief/Uhi/Ahello/Uwhy");
	same_session(&a, &again);
	assert_true(again.turn == 1 && again.parent == 0);
	again = say(&w, "Sbe brief/Uhi/Ahello/Uwho");
	assert_true(again.turn == 1 && again.parent == 0);
	/* The same opening is no session, nor is the system prompt. */
	other = say(&w, "Sbe brief/Uhi");
	assert_string_not_equal(other.label, a.label);
	assert_int_equal(other.turn, 0);
	other = say(&w, "Sbe brief/Uwho");
	assert_string_not_equal(other.label, a.label);
	close_world(&w);
}

static void told_apart_by_the_answer(void **state)
{
	struct world w;
	struct session a, b, c;

	(void)state;
	open_world(&w, 100, 1);
	a = say(&w, "Uhi");
	b = say(&w, "Uhi");
	answer(&w, &b, "second");
	answer(&w, &a, "first");
	c = say(&w, "Uhi/Asecond/Umore");
	same_session(&b, &c);
	assert_int_equal(c.parent, 1);
	c = say(&w, "Uhi/Afirst/Umore");
	same_session(&a, &c);
	/* An answer that nobody gave: the latest beginning. */
	c = say(&w, "Uhi/Aedited/Umore");
	same_session(&b, &c);
	close_world(&w);
}

static void examples_are_no_session(void **state)
{
	struct world w;
	struct session a, b;

	(void)state;
	open_world(&w, 100, 1);
	a = say(&w, "Slabel/Ugood/A1/Ubad/A0/Ufine");
	answer(&w, &a, "1");
	b = say(&w, "Slabel/Ugood/A1/Ubad/A0/Uawful");
	assert_string_not_equal(a.label, b.label);
	assert_int_equal(b.turn, 0);
	close_world(&w);
}

static void failed_ones_are_retried(void **state)
{
	struct world w;
	struct session a, b, c;

	(void)state;
	open_world(&w, 100, 1);
	a = say(&w, "Uhi");
	answer_as(&w, &a, "", false, NULL, NULL);
	b = say(&w, "Uhi");
	same_session(&a, &b);
	assert_true(b.turn == 0 && b.parent == COUNT_NONE);
	answer(&w, &b, "x");
	c = say(&w, "Uhi");
	assert_string_not_equal(a.label, c.label);
	close_world(&w);
}

static void named_by_the_client(void **state)
{
	struct world w;
	struct session a, b, c, d;

	(void)state;
	open_world(&w, 100, 1);
	a = ask_as(&w, API_CHAT, "chat 7", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}");
	assert_string_equal(a.label, "chat 7");
	assert_true(!a.inferred && a.turn == 0);
	/* Before the first was answered, nothing goes on from it. */
	b = ask_as(&w, API_CHAT, "chat 7", "{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}");
	assert_true(b.turn == 0 && b.parent == COUNT_NONE);
	answer(&w, &a, "x");
	c = ask_as(&w, API_CHAT, "chat 7", "{\"messages\":[{\"role\":\"user\",\"content\":\"a title for it?\"}]}");
	assert_true(!c.inferred && c.turn == 1 && c.parent == 0);
	d = ask_as(&w, API_CHAT, "chat 8", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"x\"},"
		   "{\"role\":\"user\",\"content\":\"c\"}]}");
	assert_string_equal(d.label, "chat 8");
	assert_int_equal(d.parent, COUNT_NONE);
	close_world(&w);
}

static void other_ways_to_go_on(void **state)
{
	struct world w;
	struct session a, b, c, d, e;

	(void)state;
	open_world(&w, 100, 1);
	a = ask_as(&w, API_RESPONSES, NULL, "{\"input\":\"hi\"}");
	answer_as(&w, &a, "x", true, "resp_1", NULL);
	b = ask_as(&w, API_RESPONSES, NULL, "{\"input\":\"more\",\"previous_response_id\":\"resp_1\"}");
	same_session(&a, &b);
	assert_true(!b.inferred && b.turn == 1 && b.parent == 0);
	c = ask_as(&w, API_RESPONSES, NULL, "{\"input\":\"more\",\"previous_response_id\":\"resp_before\"}");
	assert_true(c.inferred && c.turn == COUNT_NONE && c.parent == COUNT_NONE);
	d = ask_as(&w, API_OLLAMA_GENERATE, NULL, "{\"prompt\":\"p\"}");
	answer_as(&w, &d, "x", true, NULL, "[1, 2,3]");
	e = ask_as(&w, API_OLLAMA_GENERATE, NULL, "{\"prompt\":\"q\",\"context\":[1,2, 3]}");
	same_session(&d, &e);
	assert_int_equal(e.parent, 3);
	/* Ids are longer than a label may be: hashed. */
	a = ask_as(&w, API_RESPONSES, NULL, "{\"input\":\"x\",\"conversation\":\"c 1\"}");
	assert_string_equal(a.label, "c 1");
	close_world(&w);
}

static void texts_that_go_on(void **state)
{
	struct world w;
	struct session a, b, c, d;

	(void)state;
	open_world(&w, 100, 1);
	a = ask_as(&w, API_COMPLETIONS, NULL, "{\"prompt\":\"Once\"}");
	answer(&w, &a, " upon a ");
	b = ask_as(&w, API_COMPLETIONS, NULL, "{\"prompt\":\"Once upon a time\"}");
	same_session(&a, &b);
	assert_true(b.turn == 1 && b.parent == 0);
	answer(&w, &b, " there");
	/* The longest beginning wins. */
	c = ask_as(&w, API_COMPLETIONS, NULL, "{\"prompt\":\"Once upon a time there was\"}");
	assert_true(c.turn == 2 && c.parent == 1);
	/* The prompt alone is what all may share. */
	d = ask_as(&w, API_COMPLETIONS, NULL, "{\"prompt\":\"Once more\"}");
	assert_string_not_equal(d.label, a.label);
	close_world(&w);
}

static void memory_is_bounded(void **state)
{
	struct world w;
	struct session first, q;
	char talk[64];

	(void)state;
	open_world(&w, 10, 1);
	first = say(&w, "Ufirst");
	answer(&w, &first, "x");
	for (int i = 0; i < 9; i++) {
		snprintf(talk, sizeof(talk), "U%d", i);
		q = say(&w, talk);
		answer(&w, &q, "y");
	}
	/* Used, so it is now the newest; ten more push it out. */
	q = say(&w, "Ufirst/Ax/Umore");
	assert_int_equal(q.turn, 1);
	for (int i = 0; i < 10; i++) {
		snprintf(talk, sizeof(talk), "V%d", i);
		q = say(&w, talk);
	}
	q = say(&w, "Ufirst/Ax/Umore");
	assert_int_equal(q.turn, 0);
	/* The end of a request that was forgotten changes nothing. */
	answer(&w, &first, "x");
	close_world(&w);
	open_world(&w, 1, 1);
	first = say(&w, "Ua");
	answer(&w, &first, "x");
	/* With room for one, the parent makes place for its turn. */
	q = say(&w, "Ua/Ax/Ub");
	assert_int_equal(q.turn, 0);
	close_world(&w);
}

/* About a tenth is kept, the same again for the same salt, and a session as a whole. */
static void samples_sessions(void **state)
{
	struct world w;
	char first[2][2001] = { "", "" }, talk[64];
	int kept = 0;

	(void)state;
	for (int run = 0; run < 2; run++) {
		open_world(&w, 10000, 0.1);
		for (int i = 0; i < 2000; i++) {
			struct session q, more;

			snprintf(talk, sizeof(talk), "U%d", i);
			q = say(&w, talk);
			first[run][i] = q.kept ? 'k' : '-';
			answer(&w, &q, "x");
			snprintf(talk, sizeof(talk), "U%d/Ax/Umore", i);
			more = say(&w, talk);
			assert_true(more.kept == q.kept && more.turn == 1);
			kept += run == 0 && q.kept;
		}
		close_world(&w);
	}
	assert_string_equal(first[0], first[1]);
	assert_in_range(kept, 140, 260); /* 200 +- 4.5 sigma */
}

static void shares_are_read(void **state)
{
	static const struct { const char *s; double want; } cases[] = {
		{ "10%", 0.1 }, { "2.5%", 0.025 }, { "0.5", 0.5 }, { "100%", 1 }, { "1", 1 },
		{ "", -1 }, { "%", -1 }, { "0", -1 }, { "101%", -1 }, { "10 %", -1 }, { "ten", -1 }, { "-1%", -1 }, { "nan", -1 },
	};
	double got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].want < 0)
			assert_int_equal(sample_parse(cases[i].s, &got), -1);
		else {
			assert_int_equal(sample_parse(cases[i].s, &got), 0);
			assert_true(got > cases[i].want - 1e-9 && got < cases[i].want + 1e-9);
		}
	}
}

/* ---- random trees of conversations ---- */

enum { ASKED = 400, TALK = 256 };

struct past {
	char talk[TALK];   /* as for say() */
	char reply[8];     /* trimmed; "": not answered yet */
	int64_t ended;     /* order of its end, -1 */
	bool failed;
	int64_t turn, parent;
	char label[DIGEST_HEX + 1];
	struct session q;
};

/* The latest place where an assistant begins to speak behind all of an earlier talk, by texts. */
static int naive_parent(const struct past *p, int n, const char *talk)
{
	int best = -1, best_list = -1;
	size_t best_len = 0;

	for (int i = 0; i < n; i++) {
		size_t k = strlen(p[i].talk);
		const char *said = talk + k;
		size_t said_n;
		bool exact;

		if (strncmp(talk, p[i].talk, k) != 0 || said[0] != '/' || said[1] != 'A' || k < best_len)
			continue;
		if (k > best_len)
			best = best_list = -1;
		best_len = k;
		said += 2;
		said_n = strcspn(said, "/");
		exact = p[i].ended >= 0 && strlen(p[i].reply) == said_n && strncmp(said, p[i].reply, said_n) == 0;
		if (exact && (best < 0 || p[i].ended > p[best].ended))
			best = i;
		best_list = i;
	}
	return best >= 0 ? best : best_list;
}

static void compare(const struct past *p, int n)
{
	const struct past *now = &p[n];
	int parent = naive_parent(p, n, now->talk), twin = -1;

	if (parent >= 0) {
		assert_int_equal(now->parent, parent);
		assert_int_equal(now->turn, p[parent].turn + 1);
		assert_string_equal(now->label, p[parent].label);
		return;
	}
	for (int i = 0; i < n; i++)
		if (strcmp(p[i].talk, now->talk) == 0)
			twin = i;
	assert_int_equal(now->parent, COUNT_NONE);
	assert_int_equal(now->turn, 0);
	for (int i = 0; i < n; i++)
		if (twin >= 0 && p[twin].failed && strcmp(p[i].label, p[twin].label) == 0)
			assert_string_equal(now->label, p[twin].label);
		else
			assert_string_not_equal(now->label, p[i].label);
}

/* A new talk, or an earlier one with its answer (or another one) and a further question. */
static void next_talk(struct rng *g, const struct past *p, int n, char *talk)
{
	static const char *const questions[] = { "Ua", "Ub", "Ta" }, *const other[] = { "x", "y" };
	const struct past *from = n ? &p[rng_below(g, (uint64_t)n)] : NULL;

	if (!from || rng_below(g, 5) == 0 || strlen(from->talk) > TALK - 20) {
		snprintf(talk, TALK, "%sU%c", rng_below(g, 2) ? "S/" : "", (char)('a' + rng_below(g, 4)));
		return;
	}
	if (rng_below(g, 6) == 0)
		snprintf(talk, TALK, "%s", from->talk);
	else
		snprintf(talk, TALK, "%s/A%s/%s", from->talk, from->ended >= 0 && rng_below(g, 5) ? from->reply : other[rng_below(g, 2)],
			 questions[rng_below(g, 3)]);
}

static void end_one(struct world *w, struct rng *g, struct past *p, int n, int64_t *ends)
{
	static const char *const texts[] = { "x", "y", " x ", "\ny z ", "" };
	const char *text = texts[rng_below(g, 5)];
	struct past *q = &p[rng_below(g, (uint64_t)n)];

	if (q->ended >= 0)
		return;
	q->ended = (*ends)++;
	q->failed = rng_below(g, 6) == 0;
	snprintf(q->reply, sizeof(q->reply), "%s", *text == '\n' ? "y z" : *text == ' ' ? "x" : text);
	answer_as(w, &q->q, text, !q->failed, NULL, NULL);
}

static void random_conversations(void **state)
{
	struct past *p = calloc(ASKED, sizeof(*p));
	struct world w;
	struct rng g;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		int64_t ends = 0;

		rng_init(&g, seed, "conversations", 0);
		open_world(&w, 4096, 1);
		for (int n = 0; n < ASKED; n++) {
			p[n] = (struct past){ .ended = -1 };
			next_talk(&g, p, n, p[n].talk);
			p[n].q = say(&w, p[n].talk);
			p[n].turn = p[n].q.turn;
			p[n].parent = p[n].q.parent;
			memcpy(p[n].label, p[n].q.label, sizeof(p[n].label));
			compare(p, n);
			for (int k = 0; k < 2; k++)
				end_one(&w, &g, p, n + 1, &ends);
		}
		close_world(&w);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns),
		cmocka_unit_test(told_apart_by_the_answer),
		cmocka_unit_test(examples_are_no_session),
		cmocka_unit_test(failed_ones_are_retried),
		cmocka_unit_test(named_by_the_client),
		cmocka_unit_test(other_ways_to_go_on),
		cmocka_unit_test(texts_that_go_on),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(samples_sessions),
		cmocka_unit_test(shares_are_read),
		cmocka_unit_test(random_conversations),
	};

	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
