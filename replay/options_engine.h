/* Options of the way to the engine: address, key, headers, timeouts. */
#ifndef REPLAY_OPTIONS_ENGINE_H
#define REPLAY_OPTIONS_ENGINE_H

#include "formats/base/opt.h"
#include "record/capture.h"
#include "replay/target.h"

struct options_engine {
	const char *base_url, *key_env, *key_file;
	struct opt_strs headers;
	bool probe;
	struct capture_opts transport; /* timeouts and protocol; the rest is unset */
	int64_t threads;
	int64_t preconnect; /* connections to open before each phase; COUNT_NONE: one for each slot */
};

/* Defaults into o, and its rows of the option table into rows; returns how many. */
size_t options_engine_rows(struct options_engine *o, struct opt *rows);
/* The target they name; needs base_url.  Exits with 2, or with 1 for an unreadable key. */
void options_engine_target(const struct options_engine *o, struct target *t);
void options_engine_release(struct options_engine *o);

#endif
