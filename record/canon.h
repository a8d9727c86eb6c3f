/*
 * The canonical prompt of a request: the text that an engine's prompt is made from, in one
 * form for all ways of sending it.  What it is made of, and in which order, is said in
 * toktrace(5), PREFIX BLOCKS OF RECORDED TEXT; sessions and prefix blocks are both found by it.
 *
 * Item: 0x1E, role, 0x1F, content; then for each further member 0x1F, name, 0x1F, value.
 * The prompt of a completion is its text alone, so that it is a prefix of one that goes on.
 */
#ifndef RECORD_CANON_H
#define RECORD_CANON_H

#include "formats/base/buf.h"
#include "formats/wire/api.h"

enum canon_kind { CANON_TOOLS, CANON_SYSTEM, CANON_USER, CANON_ASSISTANT, CANON_OTHER };

struct canon_item {
	enum canon_kind kind;
	size_t off, len;           /* of the whole item in the text */
	size_t said_off, said_len; /* of an assistant's words in said */
};

struct canon {
	struct buf text;
	struct buf said;           /* what assistants said, without thinking and calls */
	struct canon_item *v;      /* owned; covers the text without gaps */
	size_t n, cap;
	bool whole;                /* the engine knows no more of the prompt than this request says */
	bool appends;              /* one text that a later request may go on from (completions, generate) */
	struct buf session;        /* an id of the conversation that the body gives, or empty */
	struct buf previous;       /* an id of the answer that this goes on from, or empty */
	struct buf context;        /* of Ollama's generate: what this goes on from, or empty */
};

void canon_init(struct canon *c);
void canon_release(struct canon *c);
/* Reads a request body (c is emptied first).  0, or -1: no JSON object, or out of memory; then c is empty. */
int canon_read(struct canon *c, enum api_kind api, struct str body);

/* The "context" of the last line of an Ollama answer, as JSON; borrowed, or absent. */
struct str canon_context(struct str line);

#endif
