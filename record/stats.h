/*
 * What a recorder has seen since it began, and in the last minute: counters, histograms
 * and a sliding window, for its metrics and its live view.  Pure: times come from the
 * caller, ns of CLOCK_MONOTONIC from the epoch, and never run backwards.
 *
 * A token event is here an event of class content, reasoning, tool or refusal, the first
 * one of its wire event and choice; it may carry several tokens.  TTFT is from the begin
 * of the request to its first token event, E2E to its last.
 */
#ifndef RECORD_STATS_H
#define RECORD_STATS_H

#include "formats/trace/record.h"

enum {
	STATS_WINDOW_S = 60,
	STATS_RATE_S = 5,          /* tokens per second are those of so many whole seconds */
	STATS_SAMPLES = 8192,      /* TTFTs kept of the last minute, the newest ones */
	STATS_BUCKETS = 16, STATS_ROWS = 256, STATS_KINDS = 32, STATS_KIND_MAX = 31,
};

/* Upper bounds in seconds; the last bucket has none. */
extern const double stats_bounds[STATS_BUCKETS - 1];

struct stats_histogram {
	int64_t bucket[STATS_BUCKETS]; /* not cumulative */
	int64_t n;
	double sum_s;
};

/* A count per second of the last minute. */
struct stats_minute {
	int64_t second[STATS_WINDOW_S], n[STATS_WINDOW_S];
};

/* Exchanges that ended alike. */
struct stats_row {
	const char *api;           /* static; "other": no inference endpoint */
	enum status status;
	int64_t http_status;       /* COUNT_NONE: none came */
	int64_t n;
};

struct stats_kind {
	char name[STATS_KIND_MAX + 1]; /* error kind; "other" once there are too many */
	int64_t n;
	struct stats_minute minute;
};

struct stats {
	int64_t in_flight, recorded, passed; /* exchanges: running; ended, recorded; ended, others */
	int64_t unsampled;         /* of those passed, the ones that only the sample left out */
	int64_t token_events, prompt_tokens, completion_tokens; /* the latter two as the engine said them */
	int64_t bytes_received, bytes_sent; /* bodies: of requests from clients, of responses to them */
	struct stats_row row[STATS_ROWS];
	size_t n_rows;
	struct stats_kind kind[STATS_KINDS];
	size_t n_kinds;
	struct stats_histogram ttft, e2e;   /* of exchanges that ended ok */
	struct stats_minute begun, tokens;
	struct stats_sample {
		int64_t t_ns;
		double ttft_s;
	} sample[STATS_SAMPLES];   /* a ring */
	int64_t n_samples;         /* ever */
};

/* One exchange, kept by whoever runs it. */
struct stats_exchange {
	const char *api;           /* static */
	bool recorded;
	int64_t sent_ns, first_ns, last_ns; /* first and last token event, NS_NONE: none yet */
};

void stats_init(struct stats *s);
/* body_bytes: of its request. */
void stats_begin(struct stats *s, struct stats_exchange *x, const char *api, bool recorded,
		 int64_t sent_ns, int64_t body_bytes);
/* Events of it that were read since the last call. */
void stats_events(struct stats *s, struct stats_exchange *x, const struct events *ev);
/* It is over; last: its final record (the events of which stats_events() had). */
void stats_end(struct stats *s, const struct stats_exchange *x, const struct rec_response *last);

/* Sum over the whole seconds [now - span, now). */
int64_t stats_minute_sum(const struct stats_minute *m, int64_t now_ns, int span_s);
/* Percentiles of the TTFTs that were seen in the last minute, in seconds.  NaN: none. */
struct stats_ttft {
	size_t n;
	double p50_s, p95_s;
};
struct stats_ttft stats_ttft(const struct stats *s, int64_t now_ns);

#endif
