#include <config.h>

#include "record/transfer.h"

#include <string.h>
#include <strings.h>

static int add_headers(struct curl_slist **list, const char *const *lines)
{
	for (; lines && *lines; lines++) {
		struct curl_slist *l = curl_slist_append(*list, *lines);

		if (!l)
			return -1;
		*list = l;
	}
	return 0;
}

static void set_method(CURL *easy, const struct capture_request *r)
{
	if (strcmp(r->method, "HEAD") == 0)
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	else if (r->body.n || r->has_body || strcmp(r->method, "POST") == 0) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r->body.n ? r->body.p : "");
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, r->method);
}

static void set_address(CURL *easy, const struct capture_request *r)
{
	curl_easy_setopt(easy, CURLOPT_URL, r->url);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	if (r->target)
		curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, r->target);
	if (r->unix_socket)
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, r->unix_socket);
	/* A proxy from the environment would stand between the clock and the engine unseen. */
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
}

static void set_trust(CURL *easy, const struct capture_opts *o)
{
	if (o->cacert)
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->cacert);
	if (o->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void set_calls(CURL *easy, const struct transfer_calls *calls)
{
	curl_easy_setopt(easy, CURLOPT_PRIVATE, calls->arg);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, calls->error);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, calls->on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, calls->arg);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, calls->on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, calls->arg);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, calls->on_ready);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, calls->arg);
}

/*
 * Over TLS by agreement (ALPN).  Without it nothing is negotiated: HTTP/2 begins at once, by
 * prior knowledge (h2c), and such a connection libcurl before 8.0 cannot use twice.
 */
static void set_http2(CURL *easy, bool tls)
{
	enum { FIRST_THAT_REUSES_H2C = 0x080000 };

	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 tls ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	if (tls || curl_version_info(CURLVERSION_NOW)->version_num >= FIRST_THAT_REUSES_H2C) {
		/* Streams share a connection rather than open one each while the first is made. */
		curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
		return;
	}
	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
}

static void set_version(CURL *easy, const struct capture_request *r, bool http2)
{
	if (http2)
		set_http2(easy, strncasecmp(r->url, "https:", 6) == 0);
	else
		curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
}

CURL *transfer_create(const struct capture_request *r, const struct capture_opts *o,
		      const struct transfer_calls *calls, struct curl_slist **headers)
{
	/* curl would otherwise wait a second for "100 Continue" before a large body. */
	static const char *const plain[] = { "Expect:", NULL };
	CURL *easy = curl_easy_init();

	*headers = NULL;
	if (!easy || add_headers(headers, plain) < 0 || add_headers(headers, r->headers) < 0) {
		curl_easy_cleanup(easy);
		return NULL;
	}
	set_address(easy, r);
	set_trust(easy, o);
	set_calls(easy, calls);
	set_version(easy, r, o->http2);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *headers);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	/* One look-up serves the whole run. */
	curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(o->connect_timeout_ns / NS_PER_MS));
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(o->total_timeout_ns / NS_PER_MS));
	set_method(easy, r);
	return easy;
}

void transfer_facts_of(CURL *easy, struct transfer_facts *f)
{
	curl_off_t tcp_us = 0, tls_us = 0;
	long fresh = 0, version = 0;

	curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &fresh);
	curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &tcp_us);
	curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &tls_us);
	curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
	f->fresh = fresh > 0;
	f->connected_ns = (tls_us > tcp_us ? tls_us : tcp_us) * NS_PER_US;
	if (f->connected_ns <= 0)
		f->connected_ns = NS_NONE;
	f->version = version == CURL_HTTP_VERSION_2_0 ? "2" :
		version == CURL_HTTP_VERSION_1_0 ? "1.0" : NULL;
}

void transfer_want_fresh(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
}

static enum transfer_end timed_out(CURL *easy)
{
	curl_off_t connected_us = 0;

	curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_us);
	return connected_us > 0 ? END_TOTAL_TIMEOUT : END_CONNECT_TIMEOUT;
}

enum transfer_end transfer_end_of(CURL *easy, CURLcode rc, bool head_done)
{
	switch (rc) {
	case CURLE_OK: return END_CLEAN;
	case CURLE_COULDNT_CONNECT: return END_CONNECT;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY: return END_RESOLVE;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE: return END_TLS;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_HTTP2: return END_PROTOCOL;
	case CURLE_OPERATION_TIMEDOUT: return timed_out(easy);
	default: return head_done ? END_CUT : END_NO_REPLY;
	}
}
