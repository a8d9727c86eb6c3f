/*
 * What a run needs from its surroundings before it starts: an API key, enough open files,
 * an output that is not its input.
 */
#ifndef REPLAY_LAUNCH_H
#define REPLAY_LAUNCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"

/*
 * The key: first line of file if one is named, else the environment variable's value.
 * out is left empty if there is none.  0, or -1: the file cannot be read or is empty.
 */
int launch_api_key(const char *file, const char *env_name, struct buf *out, struct err *e);

/*
 * Raises the soft limit of open files to the hard one.  0, or -1: even that has no room
 * for n connections; err names the remedy.
 */
int launch_room_for(int64_t n, struct err *e);

/* True if both paths name one file: writing the run would destroy its source. */
bool launch_same_file(const char *a, const char *b);

/* A JSON object from an argument; NULL: err says what is wrong and where. */
json_t *launch_object(const char *text, struct err *e);

#endif
