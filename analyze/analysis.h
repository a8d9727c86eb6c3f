/*
 * Exchanges of one or more traces -> groups: one per request-length layer and concurrency
 * (or offered rate), with every per-request sample kept, sorted.
 */
#ifndef ANALYZE_ANALYSIS_H
#define ANALYZE_ANALYSIS_H

#include "analyze/layers.h"
#include "analyze/request.h"
#include "analyze/stats.h"
#include "formats/trace/exchanges.h"

/* One latency sample per ok request (gaps: one per gap), ms. */
enum metric {
	M_TTFT,            /* first token event - t0 */
	M_FIRST_ANSWER,    /* first answer text - t0 */
	M_TPOT,            /* (last - first) / (N - 1) */
	M_GAP,             /* between neighbouring token events of a choice: inter-event, not per token */
	M_E2E,             /* last token event - t0 */
	M_QUEUE,           /* sent - scheduled; only where a schedule exists */
	M_SCHEDULED_TTFT,  /* first token event - scheduled */
	M_SCHEDULED_E2E,
	METRICS
};
/* "ttft_ms", ... as in the JSON; and for people: "TTFT". */
const char *metric_key(enum metric m);
const char *metric_title(enum metric m);

struct error_count {
	char kind[32];     /* "http_503", "connect", "in_band", ... */
	size_t n;
};

struct group {
	struct layer layer;
	int64_t concurrency;   /* COUNT_NONE: not a closed loop */
	double rate_hz;        /* offered; NaN: none */
	size_t rounds;         /* phases pooled in it */
	size_t total, by_status[ST_NONE]; /* requests; by enum status */
	size_t valid;          /* strictly valid (design.md section 5) */
	struct error_count *errors;
	size_t n_errors;
	int64_t input_tokens, output_tokens; /* sums over ok requests */
	int64_t partial_output_tokens;       /* of requests that are not ok */
	size_t estimated;      /* ok requests whose output tokens are event counts */
	size_t bundled;        /* ok requests with more tokens than token events: their gaps are not per token */
	double window_s;       /* NaN: none */
	double output_throughput_tok_s, request_throughput_hz, goodput_hz; /* NaN: unknown or not asked */
	double attainment;     /* share of all requests that met the goodput limits; NaN: not asked */
	double mean_concurrency;
	size_t peak_concurrency;
	double offered_hz;     /* from the schedule, NaN in a closed loop */
	double sent_hz;        /* at which what had a schedule was sent, likewise */
	struct sample stats[METRICS]; /* sorted values and their summary */
	struct round *by_round; /* see rounds.h; NULL: no numbered rounds */
	size_t n_by_round;
};

struct goodput {           /* limits in ms; NaN: none */
	double ttft_ms, tpot_ms, e2e_ms;
	bool asked;
};

struct analysis_opts {
	struct layer_opts layers;
	struct goodput goodput;
	bool include_warmup;
};

struct analysis {
	struct request *requests; /* all of them, in order of sending; group is an index or -1 */
	size_t n_requests;
	struct group *groups;     /* by layer, then concurrency, then rate */
	size_t n_groups;
	size_t warmups;           /* requests left out as warm-up */
	size_t missing_shards;    /* parts of runs of several processes that are not there */
	size_t responses;         /* requests that have any response */
	double loop_lag_max_ms;   /* of the measuring client; NaN unknown */
	char client_limit[160];   /* why the client was the limit in a segment; "" if it was not */
};

/* t: n traces, borrowed and needed as long as *out.  0, or -1: out of memory, nothing to release. */
int analysis_of(const struct trace_data *t, size_t n, const struct analysis_opts *o,
		struct analysis *out, struct err *e);
void analysis_release(struct analysis *a);

#endif
