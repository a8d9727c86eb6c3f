/* OpenAI chat and completions: chunks of one shape, whose text stands in different places. */
#include <config.h>

#include "formats/base/clock.h"
#include "formats/wire/protocol.h"

static void chunk_events(struct api *a, struct str data)
{
	const struct chunk *c = &a->chunk;

	a->flags = c->has_choices ? EVF_CHOICES : 0;
	a->cum = c->has_usage ? c->usage.completion : COUNT_NONE;
	for (size_t i = 0; i < c->n_parts; i++) {
		const struct part *p = &c->parts[i];
		struct str text = { c->text.p + p->off, p->len };

		if (p->cls == EV_REASONING)
			a->sum.reasoning_key = str_of(c->reasoning_content ? "reasoning_content" : "reasoning");
		if (p->cls == EV_FINISH)
			emit_finish(a, p->choice, text);
		else
			emit(a, p->cls, p->choice, text);
	}
	if (c->n_parts)
		return;
	if (c->has_choices)
		emit_empty(a, (struct str){ NULL, 0 });
	else if (c->has_usage)
		emit(a, EV_USAGE, 0, c->usage_raw);
	else
		emit(a, EV_OTHER, 0, data);
}

/* False, and the fault told, if the data is no chunk or an error. */
static bool read_chunk(struct api *a, struct str type, struct str data, choice_fn choice)
{
	if (str_is(type, "error") || chunk_parse(&a->chunk, data, choice) < 0 || a->chunk.has_error) {
		emit_fault(a, data);
		return false;
	}
	note_model(a, a->chunk.model);
	note_id(a, a->chunk.id);
	if (a->chunk.has_usage)
		note_usage(a, &a->chunk.usage);
	return true;
}

static void event(struct api *a, struct str type, struct str data, choice_fn choice)
{
	if (a->sum.done)
		emit(a, EV_OTHER, 0, data);
	else if (read_chunk(a, type, data, choice))
		chunk_events(a, data);
}

static void whole(struct api *a, struct str body, choice_fn choice)
{
	if (!read_chunk(a, (struct str){ NULL, 0 }, body, choice))
		return;
	chunk_events(a, body);
	/* A chunk tells its usage as an event of its own only if it has nothing else. */
	if (a->chunk.n_parts && a->chunk.has_usage)
		emit(a, EV_USAGE, 0, a->chunk.usage_raw);
}

static void chat_event(struct api *a, struct str type, struct str data)
{
	event(a, type, data, chat_choice);
}

static void chat_whole(struct api *a, struct str body)
{
	whole(a, body, chat_whole_choice);
}

static void completions_event(struct api *a, struct str type, struct str data)
{
	event(a, type, data, completions_choice);
}

static void completions_whole(struct api *a, struct str body)
{
	whole(a, body, completions_choice);
}

const struct protocol protocol_chat = {
	API_CHAT, "chat", "/chat/completions", FRAMING_SSE, true, chat_event, chat_whole, NULL,
};
const struct protocol protocol_completions = {
	API_COMPLETIONS, "completions", "/completions", FRAMING_SSE, true, completions_event,
	completions_whole, NULL,
};
