#include <config.h>

#include "record/preconnect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/room.h"

enum { AT_ONCE = 256, RESOLVE_MAX = 512 };

/* ---- where to ---- */

/* Host without brackets, port as digits; both to be freed with curl_free(). */
static int split_url(const char *url, char **host, char **port)
{
	CURLU *u = curl_url();
	bool bad = !u || curl_url_set(u, CURLUPART_URL, url, 0) ||
		   curl_url_get(u, CURLUPART_HOST, host, 0) ||
		   curl_url_get(u, CURLUPART_PORT, port, CURLU_DEFAULT_PORT);
	size_t n;

	curl_url_cleanup(u);
	if (bad)
		return -1;
	n = strlen(*host);
	if (n > 2 && (*host)[0] == '[') {
		memmove(*host, *host + 1, n - 2);
		(*host)[n - 2] = '\0';
	}
	return 0;
}

static int open_socket(const struct sockaddr *addr, socklen_t len, bool *pending)
{
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*pending = false;
	if (fd < 0 || connect(fd, addr, len) == 0)
		return fd;
	*pending = errno == EINPROGRESS;
	if (*pending)
		return fd;
	close(fd);
	return -1;
}

static bool connected(int fd)
{
	socklen_t len = sizeof(int);
	int error = -1;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0;
}

static int ms_left(int64_t deadline_ns)
{
	int64_t left = (deadline_ns - clock_mono_ns()) / NS_PER_MS;

	if (deadline_ns == NS_NONE)
		return -1;
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void keep(struct preconnect *p, int fd)
{
	if (room_for_one(&p->fds, p->n, &p->cap, sizeof(*p->fds)) < 0)
		close(fd);
	else
		p->fds[p->n++] = fd;
}

/* Opens up to n at once and waits for them; returns how many it got. */
static size_t open_some(struct preconnect *p, size_t n, int64_t deadline_ns)
{
	struct pollfd v[AT_ONCE];
	size_t waiting = 0, before = p->n;

	for (size_t i = 0; i < n; i++) {
		bool pending;
		int fd = open_socket((const struct sockaddr *)&p->addr, p->addr_len, &pending);

		if (fd < 0)
			break;
		if (pending)
			v[waiting++] = (struct pollfd){ fd, POLLOUT, 0 };
		else
			keep(p, fd);
	}
	while (waiting > 0 && poll(v, waiting, ms_left(deadline_ns)) > 0) {
		for (size_t i = waiting; i-- > 0;) {
			if (!v[i].revents)
				continue;
			if (connected(v[i].fd))
				keep(p, v[i].fd);
			else
				close(v[i].fd);
			v[i] = v[--waiting];
		}
	}
	while (waiting > 0)
		close(v[--waiting].fd);
	return p->n - before;
}

/* libcurl is to go where these go, whatever else the name resolves to. */
static void fix_address(struct preconnect *p, const char *host, const char *port)
{
	char ip[NI_MAXHOST], entry[RESOLVE_MAX];

	curl_slist_free_all(p->resolve);
	p->resolve = NULL;
	if (getnameinfo((const struct sockaddr *)&p->addr, p->addr_len, ip, sizeof(ip), NULL, 0,
			NI_NUMERICHOST) != 0)
		return;
	if (snprintf(entry, sizeof(entry), "%s:%s:%s", host, port, ip) < (int)sizeof(entry))
		p->resolve = curl_slist_append(NULL, entry);
}

/* The first of the host's addresses that takes a connection.  1: got one; 0: none does. */
static size_t find_address(struct preconnect *p, const char *url, int64_t deadline_ns)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all = NULL, *a;
	char *host = NULL, *port = NULL;
	size_t got = 0;

	if (split_url(url, &host, &port) == 0 && getaddrinfo(host, port, &hints, &all) == 0) {
		for (a = all; a && got == 0; a = a->ai_next) {
			memcpy(&p->addr, a->ai_addr, a->ai_addrlen);
			p->addr_len = a->ai_addrlen;
			got = open_some(p, 1, deadline_ns);
		}
		freeaddrinfo(all);
	}
	if (got > 0)
		fix_address(p, host, port);
	else
		p->addr_len = 0;
	curl_free(host);
	curl_free(port);
	return got;
}

size_t preconnect_open(struct preconnect *p, const char *url, size_t n, int64_t timeout_ns)
{
	int64_t deadline_ns = timeout_ns > 0 ? clock_mono_ns() + timeout_ns : NS_NONE;
	size_t got = 0, more = 1;

	if (n == 0)
		return 0;
	if (p->addr_len == 0)
		got = more = find_address(p, url, deadline_ns);
	while (got < n && more > 0) {
		more = open_some(p, n - got < AT_ONCE ? n - got : AT_ONCE, deadline_ns);
		got += more;
	}
	return got;
}

void preconnect_close(struct preconnect *p)
{
	while (p->n > 0)
		close(p->fds[--p->n]);
	free(p->fds);
	curl_slist_free_all(p->resolve);
	*p = (struct preconnect){ .n = 0 };
}

/* ---- handing them out ---- */

/* Nothing was asked on it, so anything to read is its end. */
static bool alive(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct preconnect_use *use = arg;
	struct preconnect *p = use->p;

	use->taken = false;
	while (purpose == CURLSOCKTYPE_IPCXN && p->n > 0 && a->addrlen == p->addr_len &&
	       memcmp(&a->addr, &p->addr, a->addrlen) == 0) {
		int fd = p->fds[--p->n];

		use->taken = alive(fd);
		if (use->taken)
			return fd;
		close(fd);
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int on_options(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	const struct preconnect_use *use = arg;

	(void)fd, (void)purpose;
	return use->taken ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

void preconnect_offer(struct preconnect_use *use, CURL *easy)
{
	if (use->p->addr_len == 0)
		return;
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, use);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_options);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, use);
	if (use->p->resolve)
		curl_easy_setopt(easy, CURLOPT_RESOLVE, use->p->resolve);
}
