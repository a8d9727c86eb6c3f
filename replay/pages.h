/*
 * The small pages of an engine that tools ask for around a run: pure, request in, body
 * out.  Shapes and names are vLLM's.
 */
#ifndef REPLAY_PAGES_H
#define REPLAY_PAGES_H

#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/base/err.h"

/* /v1/models.  max_model_len: COUNT_NONE = null. */
int pages_models(struct buf *out, const char *model, int64_t max_model_len);
int pages_version(struct buf *out);
/*
 * /tokenize of {"prompt"} or {"messages"}: {"count","max_model_len","tokens"}.  A token's
 * id is a hash of its bytes.  0, or -1 with a message for the client (HTTP 400).
 */
int pages_tokenize(struct buf *out, struct str body, int64_t max_model_len, struct err *e);
/* An error body: {"error":{"message","type","param","code"}}. */
int pages_error(struct buf *out, int status, const char *type, const char *message);

/* One metric of the Prometheus text format with its HELP and TYPE; kind "gauge" or "counter". */
int pages_metric(struct buf *out, const char *name, const char *kind, const char *help,
		 const char *labels, double value);

#endif
