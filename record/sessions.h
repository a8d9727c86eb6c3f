/*
 * Which conversation a request belongs to.  A client may say so; else it is inferred: a
 * request goes on from an earlier one of the same API and model if its messages begin with all
 * messages of the earlier one, followed by a message of the assistant.  Where several
 * earlier ones fit, the one that was answered with that message's text is taken, else the
 * latest.  A text completion goes on from the one whose prompt and answer it begins with.  The same
 * opening alone never joins two requests, but a repetition of one that failed does.
 *
 * Turns count from 0.  Requests that go on from the same one are siblings: one session, one
 * turn, one parent (a retry, a regeneration, an edited question).
 *
 * Only hashes are kept, of the latest `max` requests; the oldest is forgotten first.
 */
#ifndef RECORD_SESSIONS_H
#define RECORD_SESSIONS_H

#include "record/canon.h"
#include "record/reply.h"

enum { SESSIONS_MAX = 65536 };

struct sessions;

struct sessions_opts {
	struct mac *salt;    /* borrowed */
	double share;        /* of the sessions that are kept; 1: all */
	size_t max;          /* requests remembered */
	bool hash_labels;    /* ids that clients give are hashed too */
};

/* NULL: out of memory. */
struct sessions *sessions_create(const struct sessions_opts *o);
void sessions_free(struct sessions *s);

struct session_ask {
	enum api_kind api;
	struct str model;
	const struct canon *canon;
	struct str label;    /* an id that the client gave in a header, or absent */
	int64_t id;          /* the request's, if it is kept */
};

/* Names a remembered request; stale once it is forgotten. */
struct session_ref {
	uint32_t index, generation;
};

struct session {
	char label[DIGEST_HEX + 1]; /* "": none */
	int64_t turn, parent;       /* or COUNT_NONE */
	bool inferred, kept;
	struct session_ref ref;
	struct roll roll;           /* for the answer's struct reply */
};

/* At the request's begin.  Without memory, or without a prompt, the request stands alone. */
void sessions_ask(struct sessions *s, const struct session_ask *ask, struct session *out);

struct session_end {
	struct reply *reply;  /* finished here */
	struct str response_id, context; /* or absent; context as the client will send it back, JSON */
	bool ok;
};
/* At the answer's end. */
void sessions_end(struct sessions *s, struct session_ref ref, const struct session_end *end);

#endif
