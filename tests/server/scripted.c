/*
 * A server that answers by a script (script.h): scripted [--accept N] [--log FILE] SCRIPT
 *
 * The i-th request that was read whole gets the i-th answer, whatever it asks for.  Prints
 * "listening on 127.0.0.1:PORT" on stderr; ends after LIFE_S seconds.  --accept: the listening
 * socket is closed after N connections, so that the next one is refused.  --log: one line per
 * request, "request NUMBER SHA256-OF-BODY", and "closed NUMBER" where the client left first.
 */
#include <config.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/digest.h"
#include "tests/server/script.h"

enum { MAX_CONNS = 256, LIFE_S = 120 };

static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	"Transfer-Encoding: chunked\r\n\r\n";

struct conn {
	int fd;
	struct buf in;
	const struct answer *answer; /* NULL: between requests */
	size_t number;               /* of the request */
	size_t row;                  /* the next one */
	int64_t begin_ns;
};

struct server {
	struct script script;
	size_t requests, accepted, limit;
	int fd; /* the listening socket; -1: closed */
	FILE *log;
	struct conn conns[MAX_CONNS];
	size_t n;
};

static void put(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);

		if (k <= 0)
			return; /* the client left; its next read tells */
		p += k;
		n -= (size_t)k;
	}
}

static void put_chunk(int fd, const char *p, size_t n)
{
	struct buf b;

	buf_init(&b, 1 << 21);
	buf_printf(&b, "%zx\r\n", n);
	buf_add(&b, p, n);
	buf_adds(&b, "\r\n");
	put(fd, b.p, b.n);
	buf_release(&b);
}

static void put_row(const struct conn *c, const struct row *r)
{
	size_t step = c->answer->bytes ? 1 : r->bytes.n;

	for (size_t at = 0; at < r->bytes.n; at += step) {
		if (c->answer->plain)
			put(c->fd, r->bytes.p + at, step);
		else
			put_chunk(c->fd, r->bytes.p + at, step);
	}
}

static void hang_up(struct server *s, size_t i)
{
	close(s->conns[i].fd);
	buf_release(&s->conns[i].in);
	s->conns[i] = s->conns[--s->n];
}

/* The length of a whole request at the start of the buffer, and where its body starts; 0: not yet. */
static size_t whole_request(struct buf *in, size_t *body)
{
	const char *text = buf_cstr(in);
	const char *end = strstr(text, "\r\n\r\n");
	size_t length = 0;

	if (!end)
		return 0;
	*body = (size_t)(end - text) + 4;
	for (const char *p = text; p < end; p = strstr(p, "\r\n") + 2)
		if (strncasecmp(p, "Content-Length:", 15) == 0)
			length = strtoul(p + 15, NULL, 10);
	return in->n >= *body + length ? *body + length : 0;
}

static void begin_answer(struct server *s, struct conn *c)
{
	static const struct answer none = { .plain = true };
	size_t body, n = whole_request(&c->in, &body);
	char hex[DIGEST_HEX + 1];

	if (n == 0)
		return;
	c->begin_ns = clock_mono_ns();
	c->number = s->requests++;
	c->answer = c->number < s->script.n ? &s->script.answers[c->number] : &none;
	c->row = 0;
	if (!c->answer->plain)
		put(c->fd, head, sizeof(head) - 1);
	if (s->log) {
		digest_bytes(c->in.p + body, n - body, hex);
		fprintf(s->log, "request %zu %s\n", c->number, hex);
		fflush(s->log);
	}
	buf_consume(&c->in, n);
}

/* Sends the rows that are due.  0, or -1: close the connection. */
static int send_due(struct server *s, struct conn *c, int64_t now_ns)
{
	while (c->answer) {
		const struct row *r = &c->answer->rows[c->row];

		if (c->row == c->answer->n) {
			if (c->answer->plain)
				return -1;
			put(c->fd, "0\r\n\r\n", 5);
			c->answer = NULL;
			begin_answer(s, c);
			continue;
		}
		if (r->kind == ROW_HOLD || now_ns < c->begin_ns + r->at_ms * NS_PER_MS)
			return 0;
		if (r->kind == ROW_CUT)
			return -1;
		c->row = r->kind == ROW_ZERO ? c->answer->n : c->row + 1;
		put_row(c, r);
	}
	return 0;
}

static int wait_ms(const struct server *s, int64_t now_ns)
{
	int64_t least = 1000 * NS_PER_MS;

	for (size_t i = 0; i < s->n; i++) {
		const struct conn *c = &s->conns[i];
		int64_t due;

		if (!c->answer || c->row == c->answer->n || c->answer->rows[c->row].kind == ROW_HOLD)
			continue;
		due = c->begin_ns + c->answer->rows[c->row].at_ms * NS_PER_MS - now_ns;
		least = due < least ? due : least;
	}
	return least < 0 ? 0 : (int)((least + NS_PER_MS - 1) / NS_PER_MS);
}

static void take(struct server *s)
{
	const int on = 1;
	int fd = accept(s->fd, NULL, NULL);

	if (fd < 0)
		return;
	if (s->n == MAX_CONNS) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	s->conns[s->n] = (struct conn){ .fd = fd };
	buf_init(&s->conns[s->n++].in, 64 << 20);
	if (++s->accepted == s->limit) {
		close(s->fd);
		s->fd = -1;
	}
}

/* 0, or -1: the client left. */
static int hear(struct server *s, struct conn *c)
{
	char bytes[65536];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);

	if (n <= 0) {
		if (c->answer && s->log) {
			fprintf(s->log, "closed %zu\n", c->number);
			fflush(s->log);
		}
		return -1;
	}
	buf_add(&c->in, bytes, (size_t)n);
	if (!c->answer)
		begin_answer(s, c);
	return 0;
}

static void serve(struct server *s)
{
	struct pollfd fds[MAX_CONNS + 1];

	for (;;) {
		size_t n = s->n;

		for (size_t i = 0; i < n; i++)
			fds[i] = (struct pollfd){ .fd = s->conns[i].fd, .events = POLLIN };
		fds[n] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
		poll(fds, n + 1, wait_ms(s, clock_mono_ns()));
		for (size_t i = n; i-- > 0;)
			if ((fds[i].revents && hear(s, &s->conns[i]) < 0) ||
			    send_due(s, &s->conns[i], clock_mono_ns()) < 0)
				hang_up(s, i);
		if (s->fd >= 0 && fds[n].revents)
			take(s);
	}
}

static int open_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) < 0 || listen(fd, 128) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) < 0) {
		perror("scripted: listen");
		exit(1);
	}
	fprintf(stderr, "listening on 127.0.0.1:%d\n", ntohs(at.sin_port));
	return fd;
}

int main(int argc, char **argv)
{
	static struct server s;
	int line;

	for (; argc > 3 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2) {
		if (strcmp(argv[1], "--accept") == 0)
			s.limit = strtoul(argv[2], NULL, 10);
		else if (strcmp(argv[1], "--log") == 0)
			s.log = fopen(argv[2], "w");
	}
	if (argc != 2) {
		fputs("usage: scripted [--accept N] [--log FILE] SCRIPT\n", stderr);
		return 2;
	}
	line = script_read(&s.script, argv[1]);
	if (line) {
		fprintf(stderr, "scripted: %s:%d: not understood\n", argv[1], line);
		return 1;
	}
	alarm(LIFE_S);
	signal(SIGPIPE, SIG_IGN);
	s.fd = open_port();
	serve(&s);
}
