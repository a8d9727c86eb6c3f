/* Requests that cannot be passed on, and what their clients are told. */
#ifndef RECORD_REFUSAL_H
#define RECORD_REFUSAL_H

struct evhttp_request;

struct refusal {
	int status;
	const char *type, *text; /* of the error object; the text needs no escapes in JSON */
};

/* NULL: it can be passed on. */
const struct refusal *refusal_of(struct evhttp_request *req);

#endif
