/*
 * One exchange -> its times and counts.  Definitions: design.md section 5 and the
 * conventions in HACKING.md; one file per metric beside this one.
 */
#ifndef ANALYZE_REQUEST_H
#define ANALYZE_REQUEST_H

#include "analyze/tokens.h"
#include "formats/trace/exchanges.h"

/* One choice (index of choices[]) of a response. */
struct choice {
	int32_t index;
	int64_t first_ns, last_ns;  /* its first and last token event */
	double *gaps_ms;            /* between neighbouring token events; zero gaps are kept */
	size_t n_gaps, cap_gaps;
};

struct request {
	const struct exchange *x;        /* borrowed */
	const struct segment *segment;
	const struct rec_phase *phase;   /* NULL: none */
	size_t trace;                    /* index of its trace */
	size_t run;                      /* segments that ran together have one (shards.h) */
	int64_t offset_ns;               /* of its segment's epoch on the run's clock */
	ptrdiff_t group;                 /* index in analysis.groups, -1: not measured (warm-up) */
	enum status status;              /* a response that never ended is truncated */
	const char *error_kind;          /* NULL if ok; valid as long as the trace */
	int64_t first_ns, first_answer_ns, last_ns; /* from the epoch; NS_NONE: none */
	double scheduled_ms, sent_ms;    /* from the epoch; NaN: none */
	double ttft_ms, first_answer_ms, last_ms, e2e_ms, duration_ms, tpot_ms; /* from t0; NaN: none */
	double tpot_corrected_ms;        /* (last - first) / (N - tokens of the first event), where that is known and not 1 */
	double queue_ms, scheduled_ttft_ms, scheduled_e2e_ms; /* NaN without a schedule */
	int64_t input_tokens, output_tokens, reasoning_tokens, cached_tokens; /* COUNT_NONE: unknown */
	bool estimated;                  /* output_tokens is a count of token events, or a lower bound */
	size_t token_events;
	struct choice *choices;
	size_t n_choices;
	bool valid;                      /* strictly; else why not: */
	const char *invalid;             /* "no usage", "wrong length", ...; NULL if valid */
};

/* 0, or -1: out of memory.  x and the strings in it are borrowed. */
int request_of(const struct exchange *x, struct request *r);
void request_release(struct request *r);

#endif
