/*
 * Meaning of a response stream: wire events -> struct event, by API.  One file per
 * protocol (openai.c, responses.c, messages.c, ollama.c), chosen by path from a table in api.c.
 * Token event, first usage rule, tool entries: ../shared research "Conventions" as
 * restated in HACKING.md; whether an event is a *token* event is decided from these
 * facts by analyze/, never here.
 */
#ifndef WIRE_API_H
#define WIRE_API_H

#include "formats/base/err.h"
#include "formats/wire/event.h"
#include "formats/wire/sse.h"

enum api_kind {
	API_NONE, API_CHAT, API_COMPLETIONS,
	API_RESPONSES,       /* OpenAI Responses */
	API_MESSAGES,        /* Anthropic Messages */
	API_OLLAMA_CHAT, API_OLLAMA_GENERATE,
};

/* "/v1/chat/completions?x=y" -> API_CHAT; API_NONE if it is no inference endpoint. */
enum api_kind api_of_path(struct str path);
/* As in traces: "chat", "completions", "responses", "messages", "ollama_chat", "ollama_generate"; "none". */
const char *api_name(enum api_kind k);
enum api_kind api_of_name(struct str name);

/* How a stream is cut into events: server-sent events, or JSON values one after the other (NDJSON). */
enum api_framing { FRAMING_SSE, FRAMING_JSON };
/* What the protocol uses if its answer does not say. */
enum api_framing api_framing(enum api_kind k);

/*
 * True if a stream that says why it finished and closes in order has ended, end marker or
 * not: so do many servers of OpenAI's older protocols.  Of the others it was cut.
 */
bool api_finish_ends(enum api_kind k);

/* Called in stream order; e is valid during the call. */
typedef void (*api_event_fn)(void *arg, const struct event *e);

struct api; /* one response stream */

/* max_event: ceiling in bytes of one SSE event.  NULL: out of memory. */
struct api *api_create(enum api_kind k, size_t max_event, api_event_fn fn, void *arg);
void api_free(struct api *a);
/* Before the first byte, where the answer says another framing than the protocol's own. */
void api_frame(struct api *a, enum api_framing f);

/* Bytes of the decoded body that one read returned at t_ns.  0, or -1: an event past the ceiling. */
int api_feed(struct api *a, const char *p, size_t n, int64_t t_ns);
/* The body ended (cleanly or not): an open block that holds the end marker still counts (D09 D). */
void api_end(struct api *a, int64_t t_ns);
/* A whole non-streamed JSON response body: its events all at t_ns (content, tools, finish, usage, error). */
void api_feed_json(struct api *a, const char *p, size_t n, int64_t t_ns);

/* What the stream has said so far; the strings are owned by a and last until api_free(). */
struct api_summary {
	bool done;              /* end marker seen */
	bool error;             /* an error object or undecodable data was in the stream */
	struct str error_text;  /* message of the first error */
	int64_t error_code;     /* its numeric code, or COUNT_NONE */
	struct str finish_reason; /* last one seen, of any choice */
	int64_t finishes;       /* choices that have a finish_reason */
	struct str model, id;   /* as the engine says them */
	struct usage usage;     /* last non-null one */
	struct str reasoning_key; /* "reasoning" or "reasoning_content", if seen */
	int64_t done_ns;        /* time of the end marker, or NS_NONE */
};
void api_summary(const struct api *a, struct api_summary *out);

/* Facts of a request body that traces and plans need; absent / COUNT_NONE when not there. */
struct api_request {
	struct str model;     /* borrowed from *store */
	bool stream;
	int64_t max_tokens;   /* the asked limit, under the protocol's own name */
	int64_t n;            /* choices asked for; 1 if not said */
	bool include_usage;
	struct buf store;
};
/*
 * 0, or -1 if the body is not a JSON object (err names place and cause).  What is not said
 * is as the protocol has it: Ollama streams unless told not to, the others do if told to.
 */
int api_request_parse(enum api_kind k, struct str body, struct api_request *out, struct err *e);
void api_request_release(struct api_request *r);

#endif
