/*
 * One JSON chunk of an OpenAI-style stream -> what it carries.  chat.c and completions.c
 * know where the text stands in a choice; the rest of the chunk is the same for both.
 */
#ifndef WIRE_CHUNK_H
#define WIRE_CHUNK_H

#include "formats/wire/api.h"
#include "formats/wire/scan.h"

struct part {
	enum event_class cls;
	int32_t choice;
	size_t off, len; /* of its text in struct chunk.text */
};

/* Reused from chunk to chunk; owns its buffers. */
struct chunk {
	struct part *parts;
	size_t n_parts, cap_parts;
	struct buf text;
	bool has_choices;       /* "choices" is there and not empty */
	bool has_usage;         /* "usage" is an object */
	struct str usage_raw;   /* borrowed from the chunk's bytes */
	struct usage usage;
	bool has_error;         /* an error object or string, or "object":"error" */
	struct str model, id;   /* raw between the quotes, borrowed */
	bool reasoning_content; /* the thinking came under "reasoning_content" */
	bool out_of_memory;
};

/* Reads one element of "choices" behind its '{' up to its '}'; chat.c, completions.c. */
typedef void (*choice_fn)(struct scan *s, struct chunk *c);

void chunk_init(struct chunk *c, size_t max);
void chunk_release(struct chunk *c);
/* 0, or -1: not JSON. */
int chunk_parse(struct chunk *c, struct str data, choice_fn choice);

/* For the choice readers: begins a part whose text is then appended to c->text; ends it (an empty text drops it). */
void part_begin(struct chunk *c, enum event_class cls);
void part_end(struct chunk *c);
/* A string value as a part of the class; null and other types are stepped over. */
void part_string(struct scan *s, struct chunk *c, enum event_class cls);
/* Any value's raw text as a part. */
void part_raw(struct chunk *c, enum event_class cls, struct str raw);

void chat_choice(struct scan *s, struct chunk *c);
void chat_whole_choice(struct scan *s, struct chunk *c);
void completions_choice(struct scan *s, struct chunk *c);

/* How a protocol calls its counts; total_tokens, reasoning_tokens and cached_tokens are the same in all. */
struct usage_names {
	const char *prompt, *completion, *prompt_details, *completion_details;
};
/* Counts of a "usage" object; COUNT_NONE where it says nothing. */
struct usage usage_parse(struct str raw, const struct usage_names *names);

#endif
