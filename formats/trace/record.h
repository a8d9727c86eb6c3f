/*
 * The records of a trace (toktrace.5), as plain data.  Strings and arrays are borrowed:
 * a record read is valid until the next trace_next(); a record written may be freed
 * when trace_write() returns.  Absent = NULL str, NS_NONE, COUNT_NONE.
 * Times are ns of CLOCK_MONOTONIC from the segment's epoch.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "formats/base/clock.h"
#include "formats/base/str.h"
#include "formats/wire/event.h"

enum { TRACE_VERSION = 1, TRACE_MINOR = 1 };

/* What the blocks of a prompt recorded without its text stand for: an estimate (toktrace.5). */
enum { TRACE_BYTES_PER_TOKEN = 4 };

/* Events in one response record at most (longer responses come in parts), so that a reader's memory is bounded. */
enum { TRACE_EVENTS_MAX = 1 << 20 };

enum rec_kind {
	REC_HEADER, REC_PHASE, REC_REQUEST, REC_RESPONSE, REC_SAMPLE, REC_CLIENT, REC_END,
	REC_UNKNOWN, /* of a newer minor version: skip it */
	REC_KINDS
};
const char *rec_kind_name(enum rec_kind k);

struct kv {
	struct str key, value;
};

struct kvs { /* borrowed array */
	const struct kv *v;
	size_t n;
};

/* First record of each segment. */
struct rec_header {
	int64_t version, minor;
	int64_t epoch_wall_ns;  /* Unix time of the epoch (t = 0) */
	int64_t epoch_mono_ns;  /* CLOCK_MONOTONIC at the epoch, on that host */
	struct str tool, tool_version;
	struct kvs argv;        /* keys absent, values = arguments with secrets removed */
	struct kvs host;        /* "os", "cpu", "cpus", "numa_nodes", "memory_bytes", "gpu0", ... */
	struct kvs target;      /* "url" (no secrets), "model", "engine", "engine_version" */
	struct kvs config;      /* engine configuration as far as it tells */
	struct kvs run;         /* run settings: "concurrency", "seed", "max_tokens", "source", "format", ... */
	struct str source_digest, plan_digest; /* SHA-256, 64 hex digits */
	bool no_text;
};

enum phase_kind { PHASE_WARMUP, PHASE_ROUND, PHASE_PREFILL, PHASE_DECODE, PHASE_ACCEPTANCE };
const char *phase_kind_name(enum phase_kind k); /* "warmup", "round", ... */

/* Written when a phase begins (end_ns absent) and again, same id, when it ends; the later one holds. */
struct rec_phase {
	int64_t id;             /* unique in the segment, from 0 */
	enum phase_kind kind;
	int64_t concurrency;    /* closed-loop level, COUNT_NONE in an open loop */
	double rate_hz;         /* offered rate, NaN if none */
	int64_t round;          /* from 1, COUNT_NONE if none */
	struct str layer;       /* scenario or layer label, or absent */
	struct str timing;      /* "closed", "recorded", ... */
	int64_t begin_ns, end_ns;
	struct str verdict;     /* "ok", "interrupted", ... at the end */
};

struct rec_request {
	int64_t id;             /* unique in the segment, from 0, in order of arrival */
	int64_t phase;          /* rec_phase.id or COUNT_NONE */
	int64_t source_id;      /* id of the request in the source trace that this repeats, or COUNT_NONE */
	struct str session;
	int64_t turn, parent;   /* parent: a request id */
	bool inferred;          /* session and turn were guessed */
	bool live;              /* the body holds answers of this run, where the plan has recorded ones */
	int64_t scheduled_ns;   /* intended time: arrival in an imported trace, deadline in an open loop; NS_NONE in a closed loop */
	int64_t queued_ns, sent_ns; /* handed to the client; t0, begin of the request */
	int64_t lane;           /* client slot, or COUNT_NONE */
	struct str upstream;    /* which of several engines behind a proxy served it; absent: the header's url */
	struct str method, endpoint; /* "POST", "/v1/chat/completions" (query without secrets) */
	struct str api;         /* "chat", "completions" */
	struct str model;
	bool stream;
	int64_t choices;        /* n; COUNT_NONE = unknown */
	struct kvs headers;     /* as sent; values of secret ones replaced by "<redacted>" */
	struct str body, body_digest; /* exact bytes; SHA-256 hex */
	int64_t body_len;
	bool redacted;          /* the body was changed or left out by a rule; digest and length are of what was sent */
	int64_t prompt_bytes;   /* length of the canonical prompt that blocks were cut from, or COUNT_NONE */
	int64_t input_tokens;   /* known before sending (imported length), else COUNT_NONE */
	int64_t output_tokens;  /* expected output length, or COUNT_NONE */
	int64_t max_tokens;     /* asked limit, or COUNT_NONE */
	int64_t block_tokens;   /* tokens per prefix block, or COUNT_NONE */
	const uint64_t *blocks; /* chained prefix block ids, exact 64 bits */
	size_t n_blocks;
};

enum status { ST_OK, ST_ERROR, ST_TRUNCATED, ST_TIMEOUT, ST_CANCELLED, ST_NONE /* not ended yet */ };
const char *status_name(enum status s);

/*
 * One part of a response.  A long response is several records with part 0, 1, ... whose
 * events follow one another; all fields below "last" count only in the record with last set.
 */
struct rec_response {
	int64_t id;             /* of the request */
	int64_t part;
	bool last;
	struct events events;   /* in a record read: owned by the reader */
	int64_t connect_ns;     /* connection ready, TLS included (absent if it was there before) */
	int64_t written_ns;     /* just before the first byte of the request was written */
	int64_t headers_ns, first_byte_ns; /* response head complete; first body byte */
	int64_t end_ns;         /* stream end: the end marker if there is one, else close */
	int64_t http_status;
	enum status status;
	struct str error_kind;  /* "http_503", "connect", "in_band", "reset", "idle_timeout", ...; absent if ok */
	struct str error_text;  /* one line, secrets removed */
	struct str finish_reason;
	bool done_marker;       /* the protocol's end marker was seen */
	bool reused_connection; /* or opened before the run */
	bool retried;           /* a reused connection died before any byte came back; sent again on a fresh one */
	struct str http_version; /* "2", "1.0"; absent: 1.1 */
	struct usage usage;
	struct str model, response_id, content_type, reasoning_key;
	int64_t body_bytes;     /* decoded body bytes received */
	struct str raw;         /* body that was no stream (JSON, HTML error page), cut at a stated limit; or absent */
	bool redacted;          /* texts or raw were changed or left out by a rule */
};

/* Telemetry: numbers read from an engine or a GPU at one time. */
struct sample_value {
	struct str name;
	double value;
};
struct rec_sample {
	int64_t t_ns;
	struct str source;      /* "engine", "gpu0", ... */
	const struct sample_value *v;
	size_t n;
};

/* Health of the measuring client over the time since the last such record. */
struct rec_client {
	int64_t t_ns;
	int64_t loop_lag_max_ns, send_lag_max_ns;
	int64_t events, coalesced; /* events seen; of them not first in their read */
	double cpu_share;       /* of one core, 0..1; NaN unknown */
};

/* Last record of a segment that was closed. */
struct rec_end {
	int64_t t_ns;
	int64_t requests, responses, events;
	int64_t dropped;        /* records lost (disk full, ...) */
	bool interrupted;       /* by a signal */
};

struct record {
	enum rec_kind kind;
	union {
		struct rec_header header;
		struct rec_phase phase;
		struct rec_request request;
		struct rec_response response;
		struct rec_sample sample;
		struct rec_client client;
		struct rec_end end;
	} u;
};

/* Fills one kind with "absent" everywhere (NULL, NS_NONE, COUNT_NONE, NaN, ST_NONE, USAGE_NONE). */
void record_init(struct record *r, enum rec_kind kind);

#endif
