#include <config.h>

#include "formats/trace/record.h"

#include <math.h>

const char *rec_kind_name(enum rec_kind k)
{
	static const char *const names[REC_KINDS] = {
		"header", "phase", "request", "response", "sample", "client", "end", "unknown",
	};

	return k < REC_KINDS ? names[k] : "unknown";
}

const char *phase_kind_name(enum phase_kind k)
{
	static const char *const names[] = { "warmup", "round", "prefill", "decode", "acceptance" };

	return (size_t)k < sizeof(names) / sizeof(*names) ? names[k] : "round";
}

const char *status_name(enum status s)
{
	static const char *const names[] = {
		"ok", "error", "truncated", "timeout", "cancelled", "none",
	};

	return (size_t)s < sizeof(names) / sizeof(*names) ? names[s] : "none";
}

static void init_request(struct rec_request *q)
{
	*q = (struct rec_request){
		.phase = COUNT_NONE, .source_id = COUNT_NONE, .turn = COUNT_NONE,
		.parent = COUNT_NONE, .scheduled_ns = NS_NONE, .queued_ns = NS_NONE,
		.sent_ns = NS_NONE, .lane = COUNT_NONE, .choices = COUNT_NONE,
		.body_len = COUNT_NONE, .prompt_bytes = COUNT_NONE, .input_tokens = COUNT_NONE,
		.output_tokens = COUNT_NONE, .max_tokens = COUNT_NONE,
		.block_tokens = COUNT_NONE,
	};
}

static void init_response(struct rec_response *s)
{
	*s = (struct rec_response){
		.connect_ns = NS_NONE, .written_ns = NS_NONE, .headers_ns = NS_NONE, .first_byte_ns = NS_NONE,
		.end_ns = NS_NONE, .http_status = COUNT_NONE, .status = ST_NONE,
		.usage = USAGE_NONE, .body_bytes = COUNT_NONE,
	};
}

void record_init(struct record *r, enum rec_kind kind)
{
	*r = (struct record){ .kind = kind };
	switch (kind) {
	case REC_HEADER:
		r->u.header.version = TRACE_VERSION;
		r->u.header.minor = TRACE_MINOR;
		r->u.header.epoch_wall_ns = NS_NONE;
		r->u.header.epoch_mono_ns = NS_NONE;
		break;
	case REC_PHASE:
		r->u.phase = (struct rec_phase){
			.kind = PHASE_ROUND, .concurrency = COUNT_NONE, .rate_hz = NAN,
			.round = COUNT_NONE, .begin_ns = NS_NONE, .end_ns = NS_NONE,
		};
		break;
	case REC_REQUEST:
		init_request(&r->u.request);
		break;
	case REC_RESPONSE:
		init_response(&r->u.response);
		break;
	case REC_SAMPLE:
		r->u.sample.t_ns = NS_NONE;
		break;
	case REC_CLIENT:
		r->u.client = (struct rec_client){
			.t_ns = NS_NONE, .loop_lag_max_ns = NS_NONE, .send_lag_max_ns = NS_NONE,
			.events = COUNT_NONE, .coalesced = COUNT_NONE, .cpu_share = NAN,
		};
		break;
	case REC_END:
		r->u.end = (struct rec_end){
			.t_ns = NS_NONE, .requests = COUNT_NONE, .responses = COUNT_NONE,
			.events = COUNT_NONE, .dropped = COUNT_NONE,
		};
		break;
	default:
		break;
	}
}
