/*
 * Records -> whole exchanges: joins a request with the parts of its response, segment by
 * segment, in the order in which requests stand in the trace.
 */
#ifndef TRACE_EXCHANGES_H
#define TRACE_EXCHANGES_H

#include "formats/trace/reader.h"

/* Everything is owned (deep copies), unlike a record from the reader. */
struct exchange {
	int64_t segment;
	struct rec_request req;
	struct rec_response res;  /* events of all parts joined; .last false and status ST_NONE if it never ended */
	bool has_response;
	void *store;              /* private: the owned strings */
};

/* The trace in memory: what tools that need all of it at once work on. */
struct trace_data {
	struct segment {
		struct rec_header header;
		struct rec_phase *phases;
		size_t n_phases;
		struct rec_end end;
		bool ended;           /* an end record was read */
	} *segments;
	size_t n_segments;
	struct exchange *x;       /* by segment, then by request order */
	size_t n;
	void *store;              /* private */
};

/*
 * Reads all of path, or ("-") stdin.  Returns 0, or -1: nothing usable, err says why.
 * A cut trace returns 1: d holds everything before the cut and err says where it is cut.
 */
int trace_data_load(const char *path, bool with_text, struct trace_data *d, struct err *e);
void trace_data_release(struct trace_data *d);

#endif
