/*
 * Where a run sends to: base URL and headers, and what of them may stand in a trace.
 */
#ifndef REPLAY_TARGET_H
#define REPLAY_TARGET_H

#include "formats/base/buf.h"
#include "formats/base/err.h"
#include "formats/trace/record.h"
#include "record/capture.h"

struct target {
	char *base;       /* "http://host:8000/v1", no slash at the end */
	char *shown;      /* the same without user and password */
	char *unix_socket; /* path, or NULL: the host of base is then only a name */
	struct capture_opts transport; /* timeouts, protocol, trust: set by the caller after target_init() */
	bool versioned;   /* base ends in a version like "/v1": the endpoint's own one is dropped */
	char **headers;   /* "Name: value", NULL-terminated, as sent */
	size_t n_headers;
	struct kv *public; /* the same for the trace, secret values replaced; n_headers of them */
};

/*
 * base_url may lack the scheme (http), or be "unix:PATH" for a unix socket.  extra: "Name: value" or "Name=value" each.
 * key: API key for "Authorization: Bearer", or NULL.  0, or -1: err says which argument
 * is wrong and how it should look.  Everything is copied.
 */
int target_init(struct target *t, const char *base_url, const char *const *extra, size_t n_extra,
		const char *key, struct err *e);
void target_release(struct target *t);

/* The whole URL for "/v1/chat/completions", NUL-terminated in out (cleared first).  0 or -1. */
int target_url(const struct target *t, struct str endpoint, struct buf *out);

#endif
