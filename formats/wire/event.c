#include <config.h>

#include "formats/wire/event.h"

#include <stdlib.h>

#include "formats/base/clock.h"

const char *event_class_name(enum event_class c)
{
	static const char *const names[EV_CLASSES] = {
		"role", "content", "reasoning", "tool", "refusal", "finish",
		"usage", "done", "comment", "error", "empty", "other",
	};

	return c < EV_CLASSES ? names[c] : "other";
}

void events_init(struct events *ev, bool has_text, size_t text_max)
{
	*ev = (struct events){ .has_text = has_text };
	buf_init(&ev->text, text_max);
}

void events_clear(struct events *ev)
{
	ev->n = 0;
	buf_clear(&ev->text);
}

void events_release(struct events *ev)
{
	free(ev->t_ns);
	free(ev->cls);
	free(ev->flags);
	free(ev->choice);
	free(ev->cum_tokens);
	free(ev->text_len);
	buf_release(&ev->text);
	*ev = (struct events){ .has_text = ev->has_text, .text = ev->text };
}

static int grow_array(void *array, size_t cap, size_t size)
{
	void **a = array;
	void *p = realloc(*a, cap * size);

	if (!p)
		return -1;
	*a = p;
	return 0;
}

static int reserve(struct events *ev, size_t n)
{
	size_t cap = ev->cap ? ev->cap : 32;

	if (n <= ev->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	if (grow_array(&ev->t_ns, cap, sizeof(*ev->t_ns)) < 0 ||
	    grow_array(&ev->cls, cap, sizeof(*ev->cls)) < 0 ||
	    grow_array(&ev->flags, cap, sizeof(*ev->flags)) < 0 ||
	    grow_array(&ev->choice, cap, sizeof(*ev->choice)) < 0 ||
	    grow_array(&ev->cum_tokens, cap, sizeof(*ev->cum_tokens)) < 0 ||
	    grow_array(&ev->text_len, cap, sizeof(*ev->text_len)) < 0)
		return -1;
	ev->cap = cap;
	return 0;
}

int events_add(struct events *ev, const struct event *e)
{
	size_t i = ev->n;

	if (e->text_len > UINT32_MAX || reserve(ev, i + 1) < 0)
		return -1;
	if (ev->has_text && buf_add(&ev->text, e->text.p, e->text.n) < 0)
		return -1;
	ev->t_ns[i] = e->t_ns;
	ev->cls[i] = (uint8_t)e->cls;
	ev->flags[i] = (uint8_t)e->flags;
	ev->choice[i] = e->choice;
	ev->cum_tokens[i] = e->cum_tokens;
	ev->text_len[i] = (uint32_t)e->text_len;
	ev->n++;
	return 0;
}

int events_append(struct events *ev, const struct events *src)
{
	struct events_iter it = { 0 };
	struct event e;

	while (events_next(src, &it, &e))
		if (events_add(ev, &e) < 0)
			return -1;
	return 0;
}

bool events_next(const struct events *ev, struct events_iter *it, struct event *e)
{
	size_t i = it->i;

	if (i >= ev->n)
		return false;
	*e = (struct event){
		.t_ns = ev->t_ns[i],
		.cls = (enum event_class)ev->cls[i],
		.flags = ev->flags[i],
		.choice = ev->choice[i],
		.cum_tokens = ev->cum_tokens[i],
		.text_len = ev->text_len[i],
	};
	/* Text that is shorter than its lengths say (a damaged trace) is absent, not read past. */
	if (ev->has_text && ev->text_len[i] <= ev->text.n - it->text_off) {
		if (ev->text_len[i])
			e->text = (struct str){ ev->text.p + it->text_off, ev->text_len[i] };
		it->text_off += ev->text_len[i];
	}
	it->i++;
	return true;
}
