#include <config.h>

#include "replay/live.h"

#include <stdlib.h>

enum { ANSWER_MAX = 64 << 20 };

/* What is kept of a request until all of its turns are sent. */
struct said {
	size_t turns;         /* not sent yet */
	json_t *messages;     /* that it was sent with, where they are not the planned ones */
	struct buf answer;    /* of choice 0 */
	bool ok;
};

struct live {
	const struct plan *plan;
	struct said *said;    /* of each request of the plan */
};

struct live *live_create(const struct plan *p)
{
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->plan = p;
	l->said = calloc(p->n + 1, sizeof(*l->said));
	if (!l->said) {
		free(l);
		return NULL;
	}
	for (size_t i = 0; i < p->n; i++) {
		buf_init(&l->said[i].answer, ANSWER_MAX);
		if (p->e[i].live)
			l->said[p->e[i].parent].turns++;
	}
	return l;
}

static void forget(struct said *s)
{
	json_decref(s->messages);
	s->messages = NULL;
	buf_release(&s->answer);
}

void live_free(struct live *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->plan->n; i++)
		forget(&l->said[i]);
	free(l->said);
	free(l);
}

int live_response(struct live *l, size_t i, const struct rec_response *r)
{
	struct events_iter it = { 0 };
	struct said *s = &l->said[i];
	struct event ev;

	if (s->turns == 0)
		return 0;
	while (events_next(&r->events, &it, &ev))
		if (ev.cls == EV_CONTENT && ev.choice == 0 && ev.text.p &&
		    buf_add(&s->answer, ev.text.p, ev.text.n) < 0)
			return -1;
	if (r->last)
		s->ok = r->status == ST_OK && s->answer.n > 0;
	return 0;
}

/* A new reference to the messages of a body, or NULL. */
static json_t *messages_of(struct str body)
{
	json_t *root = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	json_t *m = json_object_get(root, "messages");

	m = json_is_array(m) ? json_incref(m) : NULL;
	json_decref(root);
	return m;
}

static json_t *planned_messages(const struct live *l, size_t i)
{
	struct str body;
	struct buf tmp;
	struct err e;
	json_t *m = NULL;

	buf_init(&tmp, REQUEST_BODY_MAX);
	if (plan_body(l->plan, i, &tmp, &body, &e) == 0)
		m = messages_of(body);
	buf_release(&tmp);
	return m;
}

/* How many messages of the turn are its parent's; 0: it does not go on from them. */
static size_t shared(const json_t *turn, const json_t *parent)
{
	size_t n = json_array_size(parent);

	if (n == 0 || json_array_size(turn) <= n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!json_equal(json_array_get(turn, i), json_array_get(parent, i)))
			return 0;
	return n;
}

static bool can_replace(const json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));

	return role && strcmp(role, "assistant") == 0 && !json_object_get(message, "tool_calls") &&
		!json_object_get(message, "function_call");
}

/* What the parent was sent with, its answer, and the rest of the turn's; NULL: out of memory. */
static json_t *join(const json_t *sent, const struct said *parent, json_t *turn, size_t from)
{
	bool replace = parent->ok && can_replace(json_array_get(turn, from));
	json_t *out = json_array();
	size_t n = json_array_size(turn);
	int bad = out ? 0 : -1;

	for (size_t i = 0; i < json_array_size(sent) && bad == 0; i++)
		bad = json_array_append(out, json_array_get(sent, i));
	if (replace && bad == 0)
		bad = json_array_append_new(out, json_pack("{ss,ss%}", "role", "assistant", "content",
							   parent->answer.p, parent->answer.n));
	for (size_t i = from + replace; i < n && bad == 0; i++)
		bad = json_array_append(out, json_array_get(turn, i));
	if (bad == 0)
		return out;
	json_decref(out);
	return NULL;
}

static int dump_piece(const char *p, size_t n, void *arg)
{
	return buf_add(arg, p, n);
}

/* The planned body with other messages. */
static int write_body(struct str planned, json_t *messages, struct buf *out)
{
	json_t *root = json_loadb(planned.p, planned.n, JSON_ALLOW_NUL, NULL);
	int rc = json_object_set(root, "messages", messages);

	buf_clear(out);
	if (rc == 0)
		rc = json_dump_callback(root, dump_piece, out, JSON_COMPACT);
	json_decref(root);
	return rc;
}

/* The messages to send; NULL: the planned ones. */
static json_t *live_messages(const struct live *l, size_t i, struct str planned)
{
	size_t parent_i = (size_t)l->plan->e[i].parent;
	const struct said *parent = &l->said[parent_i];
	json_t *turn = messages_of(planned), *before = planned_messages(l, parent_i), *out = NULL;
	size_t from = shared(turn, before);

	if (from)
		out = join(parent->messages ? parent->messages : before, parent, turn, from);
	if (out && json_equal(out, turn)) {
		json_decref(out);
		out = NULL;
	}
	json_decref(turn);
	json_decref(before);
	return out;
}

int live_body(struct live *l, size_t i, struct str planned, struct buf *out, struct err *e)
{
	const struct plan_entry *en = &l->plan->e[i];
	json_t *messages;
	int rc = 0;

	if (!en->live)
		return 0;
	messages = live_messages(l, i, planned);
	if (messages && write_body(planned, messages, out) < 0)
		rc = err_set(e, "out of memory");
	else if (messages)
		rc = 1;
	if (l->said[i].turns)
		l->said[i].messages = json_incref(messages);
	json_decref(messages);
	if (--l->said[en->parent].turns == 0)
		forget(&l->said[en->parent]);
	return rc;
}
