#include <config.h>

#include "record/sessions.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "record/compact.h"
#include "record/sample.h"
#include "record/session_table.h"

/* How many of a named session's requests are looked at for one that was answered. */
enum { LOOK_BACK = 64, ID_MAX = DIGEST_HEX };

struct sessions {
	struct sessions_opts o;
	struct session_table t;
	uint64_t secret;
	uint64_t alone;       /* requests without a label so far */
};

struct sessions *sessions_create(const struct sessions_opts *o)
{
	struct sessions *s = calloc(1, sizeof(*s));
	struct str purpose = str_of("rolling hash");

	if (!s)
		return NULL;
	s->o = *o;
	s->secret = mac_id(o->salt, &purpose, 1);
	if (session_table_init(&s->t, o->max) == 0)
		return s;
	free(s);
	return NULL;
}

void sessions_free(struct sessions *s)
{
	if (s)
		session_table_release(&s->t);
	free(s);
}

/* ---- keys ---- */

static uint64_t key2(const struct sessions *s, const char *word, struct str a, struct str b)
{
	struct str parts[] = { str_of(word), a, b };

	return mac_id(s->o.salt, parts, 3);
}

static struct str number(const uint64_t *v)
{
	return (struct str){ (const char *)v, sizeof(*v) };
}

static uint64_t text_key(const struct sessions *s, uint64_t model, const struct roll *r)
{
	uint64_t v[3] = { model, r->h, r->len };

	return key2(s, "text", (struct str){ (const char *)v, sizeof(v) }, (struct str){ NULL, 0 });
}

/* ---- finding what a request goes on from ---- */

struct found {
	struct node *parent;
	uint64_t model, list; /* of API and model; of all its messages */
	struct roll roll;
};

/* Looks at a place where the assistant begins to speak; a later place is a better one. */
static void at_answer(const struct sessions *s, struct found *f, uint64_t list, struct reply *said)
{
	char hex[DIGEST_HEX + 1];
	struct node *n;

	reply_finish(said, hex);
	n = session_find(&s->t, KEY_REPLY, key2(s, "reply", number(&list), str_of(hex)));
	if (!n)
		n = session_find(&s->t, KEY_LIST, key2(s, "whole list", number(&list), (struct str){ NULL, 0 }));
	if (n)
		f->parent = n;
}

static void walk_messages(const struct sessions *s, const struct session_ask *ask, struct found *f)
{
	const struct canon *c = ask->canon;
	bool asked = false; /* there is something to be answered */
	size_t i = 0;

	f->list = f->model;
	while (i < c->n) {
		uint64_t before = f->list;
		struct reply said;
		bool speaks = c->v[i].kind == CANON_ASSISTANT && reply_init(&said) == 0;

		do {
			const struct canon_item *it = &c->v[i++];

			if (speaks)
				reply_add(&said, (struct str){ c->said.p + it->said_off, it->said_len });
			asked |= it->kind == CANON_USER || it->kind == CANON_OTHER;
			if (it->kind != CANON_TOOLS)
				f->list = key2(s, "item", number(&f->list), (struct str){ c->text.p + it->off, it->len });
		} while (speaks && i < c->n && c->v[i].kind == CANON_ASSISTANT);
		if (!speaks)
			continue;
		if (asked)
			at_answer(s, f, before, &said);
		reply_release(&said);
	}
}

/* A hash of every beginning of the text is at hand while it is read once. */
static void walk_text(const struct sessions *s, const struct session_ask *ask, struct found *f)
{
	struct str text = buf_str(&ask->canon->text);

	roll_begin(&f->roll, s->secret);
	for (size_t i = 0; i < text.n; i++) {
		struct node *n;

		roll_add(&f->roll, (struct str){ text.p + i, 1 });
		if (!session_has_length(&s->t, f->roll.len))
			continue;
		n = session_find(&s->t, KEY_TEXT, text_key(s, f->model, &f->roll));
		if (n)
			f->parent = n;
	}
	f->list = key2(s, "item", number(&f->model), text);
}

static void find_parent(struct sessions *s, const struct session_ask *ask, struct found *f)
{
	struct str previous = buf_str(&ask->canon->previous), context = buf_str(&ask->canon->context);

	*f = (struct found){ .model = key2(s, "list of", str_of(api_name(ask->api)), ask->model) };
	if (ask->canon->appends)
		walk_text(s, ask, f);
	else
		walk_messages(s, ask, f);
	if (context.n)
		f->parent = session_find(&s->t, KEY_CONTEXT, key2(s, "context", context, (struct str){ NULL, 0 }));
	if (previous.n)
		f->parent = session_find(&s->t, KEY_RESPONSE, key2(s, "response", previous, (struct str){ NULL, 0 }));
	/* Lists that go on from what is elsewhere differ by it. */
	if (previous.n || context.n)
		f->list = key2(s, "after", number(&f->list), previous.n ? previous : context);
}

/* ---- placing it ---- */

static void hash_label(const struct sessions *s, const char *word, struct str a, uint64_t b, char out[ID_MAX + 1])
{
	uint64_t id = key2(s, word, number(&b), a);

	snprintf(out, ID_MAX + 1, "%016llx", (unsigned long long)id);
}

static void given_label(const struct sessions *s, struct str label, char out[ID_MAX + 1])
{
	if (s->o.hash_labels || label.n > ID_MAX || memchr(label.p, '\0', label.n))
		hash_label(s, "label", label, 0, out);
	else
		snprintf(out, ID_MAX + 1, "%.*s", (int)label.n, label.p);
}

static void follow(struct node *n, const struct node *parent)
{
	n->parent = parent->id;
	n->turn = parent->turn == COUNT_NONE ? COUNT_NONE : parent->turn + 1;
}

static void take_session(struct node *n, const struct node *from)
{
	memcpy(n->label, from->label, sizeof(n->label));
	n->kept = from->kept;
}

/* The client names the conversation: only the place in it may be ours to find. */
static void place_given(struct sessions *s, struct str label, const struct node *parent, struct node *n)
{
	uint64_t key = key2(s, "session", label, (struct str){ NULL, 0 });
	const struct node *any = session_find(&s->t, KEY_LABEL, key);

	given_label(s, label, n->label);
	n->kept = any ? any->kept : sample_keeps(s->o.salt, str_of(n->label), s->o.share);
	if (parent && strcmp(parent->label, n->label) != 0)
		parent = NULL;
	if (!parent)
		parent = session_find_answered(&s->t, KEY_LABEL, key, LOOK_BACK);
	if (parent)
		follow(n, parent);
	session_key(&s->t, n, KEY_LABEL, key);
}

static void place_first(struct sessions *s, const struct session_ask *ask, const struct node *twin, struct node *n)
{
	struct str previous = buf_str(&ask->canon->previous);

	n->inferred = true;
	if (twin && twin->failed) {
		take_session(n, twin);
		n->turn = twin->turn;
		n->parent = twin->parent;
		return;
	}
	if (!ask->canon->whole) {
		/* It goes on from something before this recording. */
		n->turn = COUNT_NONE;
		if (!previous.n)
			previous = buf_str(&ask->canon->context);
		hash_label(s, "after", previous, 0, n->label);
	} else {
		n->repeats += twin != NULL;
		hash_label(s, "root", number(&n->list), n->repeats, n->label);
	}
	n->kept = sample_keeps(s->o.salt, str_of(n->label), s->o.share);
}

static void place(struct sessions *s, const struct session_ask *ask, struct found *f, struct node *n)
{
	uint64_t whole = key2(s, "whole list", number(&f->list), (struct str){ NULL, 0 });
	const struct node *twin = session_find(&s->t, KEY_LIST, whole);
	struct str label = ask->label;

	n->id = ask->id;
	n->turn = 0;
	n->parent = COUNT_NONE;
	n->model = f->model;
	n->list = f->list;
	n->repeats = twin ? twin->repeats : 0;
	n->kept = n->inferred = n->ended = n->failed = false;
	if (!label.n && ask->canon->session.n)
		label = buf_str(&ask->canon->session);
	if (label.n) {
		place_given(s, label, f->parent, n);
	} else if (f->parent) {
		take_session(n, f->parent);
		follow(n, f->parent);
		n->inferred = ask->canon->previous.n == 0;
	} else {
		place_first(s, ask, twin, n);
	}
	session_key(&s->t, n, KEY_LIST, whole);
}

static void stands_alone(struct sessions *s, struct session *out)
{
	char label[ID_MAX + 1];

	hash_label(s, "alone", (struct str){ NULL, 0 }, s->alone++, label);
	out->kept = sample_keeps(s->o.salt, str_of(label), s->o.share);
}

void sessions_ask(struct sessions *s, const struct session_ask *ask, struct session *out)
{
	struct found f;
	struct node *n;

	*out = (struct session){ .turn = COUNT_NONE, .parent = COUNT_NONE, .ref = { UINT32_MAX, 0 } };
	if (ask->canon->n == 0) {
		stands_alone(s, out);
		return;
	}
	find_parent(s, ask, &f);
	if (f.parent)
		session_touch(&s->t, f.parent);
	n = session_node(&s->t);
	if (!n) {
		stands_alone(s, out);
		return;
	}
	/* With room for one request only, its parent has just been forgotten. */
	if (n == f.parent)
		f.parent = NULL;
	place(s, ask, &f, n);
	memcpy(out->label, n->label, sizeof(out->label));
	out->turn = n->turn;
	out->parent = n->parent;
	out->inferred = n->inferred;
	out->kept = n->kept;
	out->ref = (struct session_ref){ n->index, n->generation };
	out->roll = f.roll;
}

void sessions_end(struct sessions *s, struct session_ref ref, const struct session_end *end)
{
	struct node *n = ref.index < s->t.n ? s->t.nodes[ref.index] : NULL;
	struct str none = { NULL, 0 };
	char hex[DIGEST_HEX + 1];

	reply_finish(end->reply, hex);
	if (!n || n->generation != ref.generation)
		return;
	n->ended = true;
	n->failed = !end->ok;
	session_key(&s->t, n, KEY_REPLY, key2(s, "reply", number(&n->list), str_of(hex)));
	if (end->reply->begun && end->reply->roll.base) {
		n->len = end->reply->roll.len;
		session_key(&s->t, n, KEY_TEXT, text_key(s, n->model, &end->reply->roll));
	}
	if (end->response_id.n)
		session_key(&s->t, n, KEY_RESPONSE, key2(s, "response", end->response_id, none));
	if (end->context.n) {
		struct buf form;

		buf_init(&form, 1 << 26);
		if (compact_json(end->context, &form) == 0)
			session_key(&s->t, n, KEY_CONTEXT, key2(s, "context", buf_str(&form), none));
		buf_release(&form);
	}
}
