/*
 * The engines behind the proxy, as --upstream names them, and which of them a request goes
 * to: the one with the longest prefix of its path, in turn where several have the same.
 */
#ifndef RECORD_ENGINES_H
#define RECORD_ENGINES_H

#include "formats/base/arena.h"
#include "formats/base/buf.h"
#include "formats/base/err.h"

struct engine {
	struct str prefix;        /* of the client's path, "/a", taken off; "": any */
	const char *url;          /* scheme and host, for libcurl */
	const char *unix_socket;  /* or NULL */
	struct str base;          /* path put before the client's, without a slash at its end */
	const char *shown;        /* as the user named it, without secrets */
	size_t turn;              /* of the first with its prefix: how many requests came */
};

struct engines {
	struct arena store;
	struct engine *v;
	size_t n;
};

/* Start with struct engines e = {0}. */
void engines_release(struct engines *e);
/*
 * "http://HOST[:PORT][/BASE]", "https://...", "unix:/path/of.sock[:/BASE]", each also behind
 * "/PREFIX=".  0 or -1.
 */
int engines_add(struct engines *e, const char *arg, struct err *err);
/* All of them in one line, "http://a, /b=http://b"; appended. */
void engines_show(const struct engines *e, struct buf *out);

/* The path of a request's target: absolute ones have a host before it, which is left out. */
const char *engines_path(const char *target);
/* NULL: none has this path. */
const struct engine *engines_choose(struct engines *e, const char *path);
/* What is left of the path without the engine's prefix; lives as the path or the arena does. */
const char *engine_path(const struct engine *x, const char *path, struct arena *a);
/* What the engine is asked for: its base and such a path, "*" as it is. */
const char *engine_target(const struct engine *x, const char *path, struct arena *a);

#endif
