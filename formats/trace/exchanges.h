/*
 * Records -> whole exchanges: joins a request with the parts of its response, segment by
 * segment, in the order in which requests stand in the trace.
 */
#ifndef TRACE_EXCHANGES_H
#define TRACE_EXCHANGES_H

#include "formats/base/arena.h"
#include "formats/trace/health.h"
#include "formats/trace/reader.h"

/* Everything is owned (deep copies), unlike a record from the reader. */
struct exchange {
	int64_t segment;
	struct rec_request req;
	struct rec_response res; /* events of all parts joined; .last false and status ST_NONE if it never ended */
	bool has_response;       /* at least one part was read */
};

struct segment {
	struct rec_header header;
	struct rec_phase *phases; /* in order of first appearance */
	size_t n_phases;
	struct rec_end end;
	bool ended;              /* an end record was read */
	struct health client;    /* of the measuring client; n 0 if it kept no record of it */
};

/* The trace in memory: what tools that need all of it at once work on. */
struct trace_data {
	struct segment *segments;
	size_t n_segments;
	struct exchange *x;      /* by segment, then by order in the file */
	size_t n;
	struct arena store;
};

/*
 * Reads all of path ("-": stdin).  Text (bodies, event texts, raw) is dropped unless with_text.
 * 0 whole; 1 the file is cut: d holds all before the cut and err says where; -1 nothing usable,
 * err says why.  After 0 and 1 the caller releases d.
 */
int trace_data_load(const char *path, bool with_text, struct trace_data *d, struct err *e);
void trace_data_release(struct trace_data *d);

/* The phase record with this id in the exchange's segment, or NULL. */
const struct rec_phase *trace_data_phase(const struct trace_data *d, const struct exchange *x);
/* Value of a key in a header's list, or absent. */
struct str kvs_get(struct kvs k, const char *key);

#endif
