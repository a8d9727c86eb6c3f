#include <config.h>

#include "record/drain.h"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

static bool came_in_at(int fd, uint16_t port)
{
	struct sockaddr_storage own = { 0 }, peer = { 0 };
	socklen_t n = sizeof(own), m = sizeof(peer);

	if (getsockname(fd, (struct sockaddr *)&own, &n) < 0 || getpeername(fd, (struct sockaddr *)&peer, &m) < 0)
		return false;
	if (own.ss_family == AF_INET)
		return ((const struct sockaddr_in *)&own)->sin_port == htons(port);
	return own.ss_family == AF_INET6 && ((const struct sockaddr_in6 *)&own)->sin6_port == htons(port);
}

/* A request that is on its way in is not cut. */
static bool silent(int fd)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) < 0)
		return true;
	return info.tcpi_last_data_recv >= DRAIN_IDLE_MS;
}

int drain_idle(uint16_t port, const bool *busy, size_t n_busy)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int left = 0;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (e->d_name[0] == '.' || !came_in_at(fd, port))
			continue;
		left++;
		if (((size_t)fd >= n_busy || !busy[fd]) && silent(fd))
			shutdown(fd, SHUT_RD);
	}
	if (d)
		closedir(d);
	return left;
}
