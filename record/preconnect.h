/*
 * Connections opened before anything is asked, so that opening them is no part of a TTFT.
 * They are plain sockets until libcurl wants one for the same address: then it gets it
 * instead of opening its own.  Private to the capture.
 */
#ifndef RECORD_PRECONNECT_H
#define RECORD_PRECONNECT_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "formats/base/err.h"

struct preconnect {
	int *fds;                     /* open and unused */
	size_t n, cap;
	struct sockaddr_storage addr; /* whose they are */
	socklen_t addr_len;
	struct curl_slist *resolve;   /* keeps libcurl at this address of the host's; or NULL */
};

/*
 * Opens n more to the URL's host within timeout_ns (0: none).  Returns how many it got:
 * fewer is no error, since the requests will tell.
 */
size_t preconnect_open(struct preconnect *p, const char *url, size_t n, int64_t timeout_ns);
void preconnect_close(struct preconnect *p);

/*
 * Makes the handle take them.  *taken, the transfer's own, is set when one was: what curl
 * then calls connecting was done before.
 */
struct preconnect_use {
	struct preconnect *p;
	bool taken;
};
void preconnect_offer(struct preconnect_use *use, CURL *easy);

#endif
