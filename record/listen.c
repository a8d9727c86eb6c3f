#include <config.h>

#include "record/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { BACKLOG = 1024 };

static void name_address(evutil_socket_t fd, char bound[LISTEN_NAME_MAX + 1])
{
	struct sockaddr_storage sa = { 0 };
	socklen_t n = sizeof(sa);
	char ip[64] = "";

	getsockname(fd, (struct sockaddr *)&sa, &n);
	if (sa.ss_family == AF_INET6) {
		const struct sockaddr_in6 *a = (const struct sockaddr_in6 *)&sa;

		evutil_inet_ntop(AF_INET6, &a->sin6_addr, ip, sizeof(ip));
		snprintf(bound, LISTEN_NAME_MAX + 1, "[%s]:%d", ip, ntohs(a->sin6_port));
	} else {
		const struct sockaddr_in *a = (const struct sockaddr_in *)&sa;

		evutil_inet_ntop(AF_INET, &a->sin_addr, ip, sizeof(ip));
		snprintf(bound, LISTEN_NAME_MAX + 1, "%s:%d", ip, ntohs(a->sin_port));
	}
}

/* "HOST:PORT", "[::1]:PORT" -> the host's first address.  0 or -1. */
static int resolve(const char *address, struct addrinfo **out)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(address, ':');
	char host[256];
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (n == 0 || n >= sizeof(host) || !colon[1])
		return -1;
	if (address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	memcpy(host, address, n);
	host[n] = '\0';
	return getaddrinfo(host, colon + 1, &hints, out) == 0 ? 0 : -1;
}

struct evconnlistener *listen_on(struct event_base *base, const char *address,
				 char bound[LISTEN_NAME_MAX + 1], struct err *e)
{
	struct addrinfo *ai;
	struct evconnlistener *l;

	if (resolve(address, &ai) < 0) {
		err_set(e, "'%s' is no address; give HOST:PORT, for example "
			   "127.0.0.1:8000, or port 0 for any free one", address);
		return NULL;
	}
	l = evconnlistener_new_bind(base, NULL, NULL,
				    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
				    BACKLOG, ai->ai_addr, (int)ai->ai_addrlen);
	freeaddrinfo(ai);
	if (l)
		name_address(evconnlistener_get_fd(l), bound);
	else
		err_set(e, "cannot listen on %s: %s; give another address, or port 0 for "
			   "any free one", address, strerror(errno));
	return l;
}
