#include <config.h>

#include "record/sessions.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "record/compact.h"
#include "record/sample.h"

/* What a request can be found by. */
enum key_kind { KEY_LIST, KEY_REPLY, KEY_RESPONSE, KEY_CONTEXT, KEY_LABEL, KEY_TEXT, KEY_KINDS };

enum { LENGTHS = 1 << 16, ID_MAX = DIGEST_HEX, CHAIN_MAX = 64 };

struct slot {
	uint64_t key;
	struct slot *chain;   /* next in its bucket, later ones first */
	enum key_kind kind;
	bool used;
};

struct node {
	struct slot slots[KEY_KINDS];
	struct node *older, *newer;
	uint32_t index, generation;
	int64_t id, turn, parent;
	uint64_t model, list; /* digests: of API and model; of its list, for the key of list and reply */
	size_t len;           /* of prompt and answer, if it has KEY_TEXT */
	uint32_t repeats;     /* earlier beginnings of the same list */
	bool kept, inferred, ended, failed;
	char label[ID_MAX + 1];
};

struct sessions {
	struct sessions_opts o;
	struct node **nodes;  /* by index */
	size_t n, cap;
	struct node *oldest, *newest;
	struct slot **buckets;
	size_t mask;
	uint32_t lengths[LENGTHS]; /* how many KEY_TEXT have such a length */
	uint64_t secret;
	uint64_t alone;       /* requests without a label so far */
};

struct sessions *sessions_create(const struct sessions_opts *o)
{
	struct sessions *s = calloc(1, sizeof(*s));
	struct str purpose = str_of("rolling hash");
	size_t buckets = 1024;

	if (!s)
		return NULL;
	while (buckets < o->max * KEY_KINDS / 2)
		buckets *= 2;
	s->o = *o;
	s->mask = buckets - 1;
	s->buckets = calloc(buckets, sizeof(struct slot *));
	if (!s->buckets) {
		free(s);
		return NULL;
	}
	s->secret = mac_id(o->salt, &purpose, 1);
	return s;
}

void sessions_free(struct sessions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->nodes[i]);
	free(s->nodes);
	free(s->buckets);
	free(s);
}

/* ---- the table ---- */

static struct node *node_of(struct slot *slot)
{
	return (struct node *)(void *)((char *)slot - offsetof(struct node, slots) - slot->kind * sizeof(*slot));
}

static void slot_remove(struct sessions *s, struct node *n, enum key_kind k)
{
	struct slot *slot = &n->slots[k], **at = &s->buckets[slot->key & s->mask];

	if (!slot->used)
		return;
	while (*at != slot)
		at = &(*at)->chain;
	*at = slot->chain;
	slot->used = false;
	if (k == KEY_TEXT)
		s->lengths[n->len % LENGTHS]--;
}

static void slot_add(struct sessions *s, struct node *n, enum key_kind k, uint64_t key)
{
	struct slot *slot = &n->slots[k], **at = &s->buckets[key & s->mask];

	slot_remove(s, n, k);
	*slot = (struct slot){ .key = key, .chain = *at, .kind = k, .used = true };
	*at = slot;
	if (k == KEY_TEXT)
		s->lengths[n->len % LENGTHS]++;
}

static struct node *find(const struct sessions *s, enum key_kind k, uint64_t key)
{
	for (struct slot *slot = s->buckets[key & s->mask]; slot; slot = slot->chain)
		if (slot->key == key && slot->kind == k)
			return node_of(slot);
	return NULL;
}

static void unlink_node(struct sessions *s, struct node *n)
{
	*(n->older ? &n->older->newer : &s->oldest) = n->newer;
	*(n->newer ? &n->newer->older : &s->newest) = n->older;
}

static void link_newest(struct sessions *s, struct node *n)
{
	n->older = s->newest;
	n->newer = NULL;
	*(s->newest ? &s->newest->newer : &s->oldest) = n;
	s->newest = n;
}

static struct node *forget_oldest(struct sessions *s)
{
	struct node *n = s->oldest;

	for (int k = 0; k < KEY_KINDS; k++)
		slot_remove(s, n, (enum key_kind)k);
	unlink_node(s, n);
	n->generation++;
	return n;
}

static struct node *new_node(struct sessions *s)
{
	struct node *n;

	if (s->n >= s->o.max && s->oldest)
		return forget_oldest(s);
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 256;
		struct node **v = realloc(s->nodes, cap * sizeof(struct node *));

		if (!v)
			return NULL;
		s->nodes = v;
		s->cap = cap;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->index = (uint32_t)s->n;
	s->nodes[s->n++] = n;
	return n;
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
	n = find(s, KEY_REPLY, key2(s, "reply", number(&list), str_of(hex)));
	if (!n)
		n = find(s, KEY_LIST, key2(s, "whole list", number(&list), (struct str){ NULL, 0 }));
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
				reply_add(&said, (struct str){ c->text.p + it->content_off, it->content_len });
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
		if (s->lengths[f->roll.len % LENGTHS] == 0)
			continue;
		n = find(s, KEY_TEXT, text_key(s, f->model, &f->roll));
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
		f->parent = find(s, KEY_CONTEXT, key2(s, "context", context, (struct str){ NULL, 0 }));
	if (previous.n)
		f->parent = find(s, KEY_RESPONSE, key2(s, "response", previous, (struct str){ NULL, 0 }));
	/* Lists that go on from what is elsewhere differ by it. */
	if (previous.n || context.n)
		f->list = key2(s, "after", number(&f->list), previous.n ? previous : context);
}

/* The latest request of a session that had its answer before this one came. */
static struct node *latest_answered(const struct sessions *s, uint64_t label)
{
	int seen = 0;

	for (struct slot *slot = s->buckets[label & s->mask]; slot && seen < CHAIN_MAX; slot = slot->chain) {
		struct node *n;

		if (slot->key != label || slot->kind != KEY_LABEL)
			continue;
		n = node_of(slot);
		if (n->ended && !n->failed)
			return n;
		seen++;
	}
	return NULL;
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
	const struct node *any = find(s, KEY_LABEL, key);

	given_label(s, label, n->label);
	n->kept = any ? any->kept : sample_keeps(s->o.salt, str_of(n->label), s->o.share);
	if (parent && strcmp(parent->label, n->label) != 0)
		parent = NULL;
	if (!parent)
		parent = latest_answered(s, key);
	if (parent)
		follow(n, parent);
	slot_add(s, n, KEY_LABEL, key);
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
		n->repeats = twin ? twin->repeats + 1 : 0;
		hash_label(s, "root", number(&n->list), n->repeats, n->label);
	}
	n->kept = sample_keeps(s->o.salt, str_of(n->label), s->o.share);
}

static void place(struct sessions *s, const struct session_ask *ask, struct found *f, struct node *n)
{
	uint64_t whole = key2(s, "whole list", number(&f->list), (struct str){ NULL, 0 });
	struct str label = ask->label;

	n->id = ask->id;
	n->turn = 0;
	n->parent = COUNT_NONE;
	n->model = f->model;
	n->list = f->list;
	n->repeats = 0;
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
		place_first(s, ask, find(s, KEY_LIST, whole), n);
	}
	slot_add(s, n, KEY_LIST, whole);
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
	if (f.parent) { /* used: forgotten last */
		unlink_node(s, f.parent);
		link_newest(s, f.parent);
	}
	n = new_node(s);
	if (!n) {
		stands_alone(s, out);
		return;
	}
	/* With room for one request only, its parent has just been forgotten. */
	if (n == f.parent)
		f.parent = NULL;
	place(s, ask, &f, n);
	link_newest(s, n);
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
	struct node *n = ref.index < s->n ? s->nodes[ref.index] : NULL;
	struct str none = { NULL, 0 };
	char hex[DIGEST_HEX + 1];

	reply_finish(end->reply, hex);
	if (!n || n->generation != ref.generation)
		return;
	n->ended = true;
	n->failed = !end->ok;
	slot_add(s, n, KEY_REPLY, key2(s, "reply", number(&n->list), str_of(hex)));
	if (end->reply->begun && end->reply->roll.base) {
		n->len = end->reply->roll.len;
		slot_add(s, n, KEY_TEXT, text_key(s, n->model, &end->reply->roll));
	}
	if (end->response_id.n)
		slot_add(s, n, KEY_RESPONSE, key2(s, "response", end->response_id, none));
	if (end->context.n) {
		struct buf form;

		buf_init(&form, 1 << 26);
		if (compact_json(end->context, &form) == 0)
			slot_add(s, n, KEY_CONTEXT, key2(s, "context", buf_str(&form), none));
		buf_release(&form);
	}
}
