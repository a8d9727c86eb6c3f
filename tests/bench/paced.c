#include <config.h>

#include "tests/bench/paced.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/clock.h"

enum { STREAMS_MAX = 4096, EVENTS = 256 };

struct stream {
	int fd, left;
	int64_t due_ns;
	char tail[4];   /* last bytes of the request read so far */
};

/* Streams of one interval are due in the order in which they were queued: a ring will do. */
struct ring {
	struct stream *at[STREAMS_MAX];
	size_t head, n;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

int paced_listen(int *port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, n) < 0 || listen(fd, STREAMS_MAX) < 0 ||
	    getsockname(fd, (struct sockaddr *)&sa, &n) < 0)
		die("paced server");
	*port = ntohs(sa.sin_port);
	return fd;
}

static void put(struct ring *r, struct stream *s)
{
	r->at[(r->head + r->n++) % STREAMS_MAX] = s;
}

static struct stream *take(struct ring *r)
{
	struct stream *s = r->at[r->head];

	r->head = (r->head + 1) % STREAMS_MAX;
	r->n--;
	return s;
}

/* A relay that is measured takes what it is sent: a full socket ends the bench. */
static void send_all(int fd, const char *p, size_t n)
{
	if (send(fd, p, n, MSG_NOSIGNAL) != (ssize_t)n) {
		fprintf(stderr, "paced server: a client does not read, or is gone: %s\n", strerror(errno));
		close(fd);
	}
}

static void send_chunk(int fd, const char *event)
{
	char out[600];
	int n = snprintf(out, sizeof(out), "%zx\r\n%s\r\n", strlen(event), event);

	send_all(fd, out, (size_t)n);
}

static void send_token(const struct stream *s)
{
	char event[400];

	snprintf(event, sizeof(event),
		 "data: {\"id\":\"chatcmpl-5f0b8d6f2b1c4d2f9a3e7c1d8b6a4f20\",\"object\":\"chat.completion.chunk\","
		 "\"created\":1900000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%lld\"},"
		 "\"logprobs\":null,\"finish_reason\":null}]}\n\n", (long long)clock_mono_ns());
	send_chunk(s->fd, event);
}

static void serve_due(struct ring *r, const struct paced_opts *o)
{
	while (r->n && r->at[r->head]->due_ns <= clock_mono_ns()) {
		struct stream *s = take(r);

		if (s->left-- > 0) {
			send_token(s);
			s->due_ns += o->interval_ns;
			put(r, s);
			continue;
		}
		send_chunk(s->fd, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
		send_all(s->fd, "0\r\n\r\n", 5);
		/* Its fd stays in the poll set for the next request, or the close. */
	}
}

/* A request has ended with its body, which is "{}" on the same line as the last header's end. */
static void begin(struct ring *r, struct stream *s, const struct paced_opts *o)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

	send_all(s->fd, head, sizeof(head) - 1);
	s->left = o->tokens;
	s->due_ns = clock_mono_ns() + o->interval_ns;
	put(r, s);
}

static void accept_one(int listener, int ep, struct stream *streams)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
	struct epoll_event ev = { .events = EPOLLIN };

	if (fd < 0)
		return;
	if (fd >= STREAMS_MAX + 64)
		die("paced server: too many streams");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	streams[fd] = (struct stream){ .fd = fd };
	ev.data.fd = fd;
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
}

static void read_request(struct ring *r, struct stream *s, const struct paced_opts *o)
{
	char buf[4096];
	ssize_t n = recv(s->fd, buf, sizeof(buf), 0);

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			close(s->fd);
		return;
	}
	/* The body of each request of the bench ends in a brace; nothing else of it does. */
	if (buf[n - 1] == '}')
		begin(r, s, o);
}

void paced_serve(int listener, const struct paced_opts *o)
{
	static struct stream streams[STREAMS_MAX + 64];
	static struct ring ring;
	struct epoll_event events[EVENTS], ev = { .events = EPOLLIN, .data.fd = listener };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, listener, &ev);
	for (;;) {
		int64_t wait_ns = ring.n ? ring.at[ring.head]->due_ns - clock_mono_ns() : NS_PER_S;
		struct timespec ts = { wait_ns < 0 ? 0 : wait_ns / NS_PER_S, wait_ns < 0 ? 0 : wait_ns % NS_PER_S };
		int n = epoll_pwait2(ep, events, EVENTS, &ts, NULL);

		serve_due(&ring, o);
		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener)
				accept_one(listener, ep, streams);
			else
				read_request(&ring, &streams[events[i].data.fd], o);
		}
	}
}
