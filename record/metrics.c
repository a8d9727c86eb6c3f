#include <config.h>

#include "record/metrics.h"

#include <inttypes.h>

static void head(struct buf *b, const char *name, const char *type, const char *help)
{
	buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void counter(struct buf *b, const char *name, int64_t v, const char *help)
{
	head(b, name, "counter", help);
	buf_printf(b, "%s %" PRId64 "\n", name, v);
}

static void gauge(struct buf *b, const char *name, int64_t v, const char *help)
{
	head(b, name, "gauge", help);
	buf_printf(b, "%s %" PRId64 "\n", name, v);
}

static void gauge_seconds(struct buf *b, const char *name, int64_t ns, const char *help)
{
	head(b, name, "gauge", help);
	buf_printf(b, "%s %.9g\n", name, (double)ns / (double)NS_PER_S);
}

static void histogram(struct buf *b, const char *name, const struct stats_histogram *h, const char *help)
{
	int64_t up_to = 0;

	head(b, name, "histogram", help);
	for (size_t i = 0; i < STATS_BUCKETS; i++) {
		up_to += h->bucket[i];
		if (i < STATS_BUCKETS - 1)
			buf_printf(b, "%s_bucket{le=\"%g\"} %" PRId64 "\n", name, stats_bounds[i], up_to);
		else
			buf_printf(b, "%s_bucket{le=\"+Inf\"} %" PRId64 "\n", name, up_to);
	}
	buf_printf(b, "%s_sum %.9g\n%s_count %" PRId64 "\n", name, h->sum_s, name, h->n);
}

/* A value between quotes (exposition format: backslash, quote and line feed are escaped). */
static void label(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			buf_adds(b, "\\n");
		else if (*value == '\\' || *value == '"')
			buf_printf(b, "\\%c", *value);
		else
			buf_add(b, value, 1);
	}
	buf_adds(b, "\"");
}

static void requests(struct buf *b, const struct stats *s)
{
	static const char name[] = "toktrace_record_requests_total";

	head(b, name, "counter", "Exchanges that ended, by API (other: no inference endpoint), how, and HTTP status.");
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct stats_row *r = &s->row[i];

		buf_printf(b, "%s{", name);
		label(b, "api", r->api);
		buf_adds(b, ",");
		label(b, "status", status_name(r->status));
		if (r->http_status != COUNT_NONE)
			buf_printf(b, ",code=\"%" PRId64 "\"} %" PRId64 "\n", r->http_status, r->n);
		else
			buf_printf(b, ",code=\"\"} %" PRId64 "\n", r->n);
	}
}

static void errors(struct buf *b, const struct stats *s)
{
	static const char name[] = "toktrace_record_errors_total";

	head(b, name, "counter", "Exchanges that did not end well, by kind of error.");
	for (size_t i = 0; i < s->n_kinds; i++) {
		buf_printf(b, "%s{", name);
		label(b, "kind", s->kind[i].name);
		buf_printf(b, "} %" PRId64 "\n", s->kind[i].n);
	}
}

static void traffic(struct buf *b, const struct stats *s)
{
	gauge(b, "toktrace_record_requests_in_flight", s->in_flight, "Exchanges that run now.");
	counter(b, "toktrace_record_token_events_total", s->token_events,
		"Stream events with generated text (content, reasoning, tool call, refusal); one may carry several tokens.");
	counter(b, "toktrace_record_prompt_tokens_total", s->prompt_tokens, "Prompt tokens, as the engine's usage says.");
	counter(b, "toktrace_record_completion_tokens_total", s->completion_tokens,
		"Completion tokens, as the engine's usage says.");
	counter(b, "toktrace_record_received_bytes_total", s->bytes_received, "Bytes of request bodies from clients.");
	counter(b, "toktrace_record_sent_bytes_total", s->bytes_sent, "Bytes of response bodies to clients.");
	histogram(b, "toktrace_record_ttft_seconds", &s->ttft,
		  "Begin of the request to its first token event, of exchanges that ended ok.");
	histogram(b, "toktrace_record_e2e_seconds", &s->e2e,
		  "Begin of the request to its last token event, of exchanges that ended ok.");
}

static void recording(struct buf *b, const struct recorder_state *r)
{
	gauge(b, "toktrace_record_recording", !r->failed, "1 while records are written, 0 after a file failed.");
	gauge_seconds(b, "toktrace_record_write_lag_seconds", r->lag_ns, "Age of the oldest record that is not written.");
	gauge(b, "toktrace_record_queue_bytes", r->queue_bytes, "Bytes of records that wait to be written.");
	gauge(b, "toktrace_record_queue_records", r->queue_records, "Records that wait to be written.");
	counter(b, "toktrace_record_dropped_records_total", r->dropped, "Records that were not written: queue full, disk failed.");
	gauge(b, "toktrace_record_file_bytes", r->file_bytes, "Bytes of the current trace file.");
	counter(b, "toktrace_record_written_bytes_total", r->bytes, "Bytes written to all trace files.");
	gauge(b, "toktrace_record_files_open", r->files_open, "Trace files that are being written.");
	counter(b, "toktrace_record_files_finished_total", r->files_finished, "Trace files that are finished.");
	counter(b, "toktrace_record_write_failures_total", r->failures, "Trace files given up because of an error.");
}

void metrics_text(const struct stats *s, const struct recorder_state *r, int64_t start_wall_ns, struct buf *out)
{
	head(out, "toktrace_build_info", "gauge", "Always 1; the version is in the label.");
	buf_adds(out, "toktrace_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
	head(out, "process_start_time_seconds", "gauge", "Unix time at which the recorder began.");
	buf_printf(out, "process_start_time_seconds %.3f\n", (double)start_wall_ns / (double)NS_PER_S);
	requests(out, s);
	errors(out, s);
	traffic(out, s);
	recording(out, r);
}
