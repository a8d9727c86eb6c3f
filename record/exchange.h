/*
 * One exchange in flight: what libcurl's callbacks and its own timers do to it.  Private
 * to the capture; capture.c begins and ends it.
 */
#ifndef RECORD_EXCHANGE_H
#define RECORD_EXCHANGE_H

#include "record/capture.h"
#include "record/head.h"
#include "record/loop.h"
#include "record/preconnect.h"
#include "record/response.h"
#include "record/transfer.h"

struct capture_pool {
	struct capture_opts o;
	struct loop loop;
	struct preconnect pre;
	struct event *work, *parts;
	struct capture *all;
	int64_t busy_ns;           /* when there was last an exchange; NS_NONE: no connection is kept */
	int64_t events, coalesced; /* of exchanges that have ended, since the last look */
	int64_t send_lag_max_ns;   /* since the last look; NS_NONE: nothing was sent */
	int turn, next_turn;       /* of those who deliver their parts; for the next exchange */
};

struct capture {
	struct capture_pool *pool;
	struct capture *next, *prev;
	struct capture_request q;
	CURL *easy;
	struct curl_slist *headers;
	struct preconnect_use pre;
	struct response res;
	struct event *idle, *linger, *first_token;
	struct head head;
	int attempts;         /* to send the request */
	int turn;             /* in which it delivers its parts */
	bool pause_wanted, paused, over;
	enum transfer_end end;
	char *why;            /* of a cancellation */
	int64_t start_ns, last_byte_ns;
	char curl_error[CURL_ERROR_SIZE];
};

/* From the epoch. */
int64_t exchange_now(const struct capture_pool *p);

/* Marks its end; capture.c works it off, outside of curl.  Only the first one counts. */
void exchange_over(struct capture *c, enum transfer_end end);

/* Hands out the events that wait, if there are any. */
void exchange_deliver(struct capture *c);

/* The callbacks of its transfer.  c->curl_error takes curl's words. */
struct transfer_calls exchange_calls(struct capture *c);

/* Makes its timers.  0, or -1: out of memory. */
int exchange_timers(struct capture *c);
/* Begins to wait for what has a limit. */
void exchange_arm(struct capture *c);
void exchange_timers_free(struct capture *c);

#endif
