/*
 * Scripts of the scripted server: what to answer to the first, second, ... request.
 *
 *     request [bytes] [plain]     begins an answer; rows follow, in order of time
 *     TIME_MS ITEM | ITEM ...     the bytes of one send(), TIME_MS after the whole request was read
 *
 * bytes: every byte in its own send() and HTTP chunk.  plain: no head and no chunks, the rows
 * are all the bytes there are, and the connection is closed after the last one.
 * Items, each an SSE event with its blank line unless said:
 *
 *     T "x"      a chat chunk with that content (a JSON string)
 *     D {..}     with that delta; D1 for choice 1
 *     F "stop"   empty delta and that finish_reason; F1 for choice 1
 *     U P C      no choices, usage of P prompt and C completion tokens; "U P C MEMBER" adds to usage
 *     DONE       data: [DONE]
 *     J "x"      only the JSON text of T "x"
 *     raw TEXT   the bytes of TEXT with \n \r \\ \xHH
 *     ZERO       the zero chunk; CUT: close without it; HOLD: nothing more, stay open
 *
 * " + u C" after T, D or F adds the usage of 10 prompt and C completion tokens, " + MEMBER"
 * any other top-level member.  Without ZERO, CUT or HOLD the zero chunk follows the last row.
 */
#ifndef SERVER_SCRIPT_H
#define SERVER_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"

enum row_kind { ROW_SEND, ROW_ZERO, ROW_CUT, ROW_HOLD };

struct row {
	int64_t at_ms;
	enum row_kind kind;
	struct buf bytes; /* of ROW_SEND */
};

struct answer {
	bool bytes, plain;
	struct row *rows;
	size_t n;
};

struct script {
	struct answer *answers;
	size_t n;
};

/* 0, or the number of the line that is wrong.  A script lives as long as its server. */
int script_read(struct script *s, const char *path);

#endif
