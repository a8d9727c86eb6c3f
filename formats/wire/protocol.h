/*
 * What the protocol files share: the state of one response stream, and how a wire event
 * becomes events.  Private to formats/wire; everybody else uses api.h.
 */
#ifndef WIRE_PROTOCOL_H
#define WIRE_PROTOCOL_H

#include "formats/wire/api.h"
#include "formats/wire/chunk.h"
#include "formats/wire/frames.h"

/* A protocol on the wire: a row in api.c, a file with its readers. */
struct protocol {
	enum api_kind kind;
	const char *name;
	const char *path_end;
	enum api_framing framing;
	bool finish_ends; /* servers leave out the end marker: a reason and an orderly close are an end, too */
	/* One wire event; type: of its "event:" field, or absent.  data is not blank and no [DONE]. */
	void (*event)(struct api *a, struct str type, struct str data);
	/* A whole body that is no stream.  NULL: it reads as one event. */
	void (*whole)(struct api *a, struct str body);
	/* True of the type of a last event.  NULL: only [DONE] is one. */
	bool (*ends)(struct str type);
};

extern const struct protocol protocol_chat, protocol_completions, protocol_responses,
	protocol_messages, protocol_ollama_chat, protocol_ollama_generate;

struct api {
	const struct protocol *protocol; /* NULL: events are kept, not understood */
	enum api_framing framing;
	struct sse sse;
	struct frames frames;
	struct chunk chunk;
	struct buf text, piece;  /* a protocol's scratch; empty between events */
	api_event_fn fn;
	void *arg;
	int64_t t_ns;
	bool later_in_read;      /* an event came out of this read already */
	int part;                /* events made of the present wire event so far */
	unsigned flags;          /* EVF_CHOICES of the present wire event */
	int64_t cum;             /* cumulative count that the present wire event carries */
	bool role_seen;          /* Ollama repeats it in each line */
	struct buf calls;        /* of each tool call so far its place in the protocol, an int64_t */
	int64_t prompt_parts[3]; /* of Messages: uncached, written to and read from the cache */
	struct api_summary sum;  /* its strings point into the buffers below */
	struct buf error, finish, model, id;
	uint64_t finished;       /* choices with a finish_reason, as bits */
};

/* The next event of the present wire event. */
void emit(struct api *a, enum event_class cls, int32_t choice, struct str text);
/* An event without a token; what: its type, so that it can be told from others. */
void emit_empty(struct api *a, struct str what);
/* Also notes the reason. */
void emit_finish(struct api *a, int32_t choice, struct str reason);
/* An error object, or data that cannot be read. */
void emit_fault(struct api *a, struct str data);
/* The protocol's end marker. */
void emit_done(struct api *a);

/*
 * Tool calls in the one shape that all protocols are brought to, that of entries of
 * OpenAI's delta.tool_calls, with the number of the call as its index.  place: what the
 * protocol tells calls apart by, COUNT_NONE where it says nothing: then it is the latest.
 */
void emit_call(struct api *a, int64_t place, struct str id, struct str name, struct str arguments);
/* More arguments of a call that has begun. */
void emit_arguments(struct api *a, int64_t place, struct str arguments);

/* Keeps the first value said; raw: as between the quotes, escapes and all. */
void note_model(struct api *a, struct str raw);
void note_id(struct api *a, struct str raw);
/* Later counts replace earlier ones; what a later usage does not say stays. */
void note_usage(struct api *a, const struct usage *u);

/* The characters of a string from between its quotes, into b (cleared first). */
struct str decoded(struct str raw, struct buf *b);
/* The string value that comes next, decoded into b (cleared first); false for other types. */
bool take_string(struct scan *s, struct buf *b);
/* The same, raw between the quotes; absent for other types. */
struct str take_raw_string(struct scan *s);
/* The count that comes next, or COUNT_NONE. */
int64_t take_count(struct scan *s);

#endif
