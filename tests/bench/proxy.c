/*
 * What tokrecord adds to the way of an event: streams of a paced server, direct and through
 * the recorder by turns in one run.  Latency of an event = time of the read that returned it
 * - the time that the server wrote into it, same clock.
 *
 *   tests/bench/proxy [STREAMS [TOKENS_PER_S [SECONDS]]]      default 256 50 4
 */
#include <config.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "tests/bench/paced.h"

enum { ROUNDS = 3, CARRY = 4096, EVENTS = 256 };

struct client {
	int fd;
	char buf[CARRY];
	size_t n;
	bool ended;
};

/* Latencies of one way, over all rounds. */
struct sample {
	int64_t *ns;
	size_t n, cap;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int connect_to(int port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static void ask(int fd)
{
	static const char req[] = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
		"Content-Length: 15\r\n\r\n{\"stream\":true}";

	if (send(fd, req, sizeof(req) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(req) - 1)
		die("send");
}

static void note(struct sample *s, int64_t ns)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1 << 16;
		s->ns = realloc(s->ns, s->cap * sizeof(*s->ns));
		if (!s->ns)
			die("memory");
	}
	s->ns[s->n++] = ns;
}

static void read_events(struct client *c, struct sample *s)
{
	static const char key[] = "\"content\":\"";
	ssize_t got = recv(c->fd, c->buf + c->n, sizeof(c->buf) - 1 - c->n, 0);
	int64_t now = clock_mono_ns();
	char *at, *from = c->buf;

	if (got <= 0) {
		fprintf(stderr, "bench: a stream was cut\n");
		exit(1);
	}
	c->n += (size_t)got;
	c->buf[c->n] = '\0';
	while ((at = strstr(from, key)) && strchr(at + sizeof(key), '"')) {
		note(s, now - strtoll(at + sizeof(key) - 1, NULL, 10));
		from = strchr(at + sizeof(key), '"');
	}
	c->ended |= strstr(from, "[DONE]") != NULL && strstr(from, "\r\n0\r\n\r\n") != NULL;
	c->n = strlen(from);
	memmove(c->buf, from, c->n + 1);
	/* What is left over is the end of an event without a time, or the begin of the next. */
	if (c->n > CARRY / 2)
		c->n = 0;
}

static void round_of(int port, int streams, int64_t interval_ns, struct sample *s)
{
	struct client *c = calloc((size_t)streams, sizeof(*c));
	struct epoll_event events[EVENTS];
	int ep = epoll_create1(EPOLL_CLOEXEC), open = streams;

	for (int i = 0; i < streams; i++) {
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &c[i] };

		c[i].fd = connect_to(port);
		epoll_ctl(ep, EPOLL_CTL_ADD, c[i].fd, &ev);
	}
	/* Spread over one interval, so that the streams are not in step. */
	for (int i = 0; i < streams; i++) {
		ask(c[i].fd);
		usleep((useconds_t)(interval_ns / 1000 / streams));
	}
	while (open) {
		int n = epoll_wait(ep, events, EVENTS, 10000);

		if (n <= 0)
			die("bench: the streams stall");
		for (int i = 0; i < n; i++) {
			struct client *x = events[i].data.ptr;

			read_events(x, s);
			if (x->ended) {
				close(x->fd);
				open--;
			}
		}
	}
	close(ep);
	free(c);
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double percentile_us(const struct sample *s, double p)
{
	return (double)s->ns[(size_t)(p * (double)(s->n - 1))] / 1e3;
}

static void print_row(const char *name, struct sample *s)
{
	qsort(s->ns, s->n, sizeof(*s->ns), by_value);
	printf("%-18s %9zu %9.1f %9.1f %9.1f %9.1f\n", name, s->n, percentile_us(s, 0.5), percentile_us(s, 0.9),
	       percentile_us(s, 0.99), percentile_us(s, 0.999));
}

/* Starts tokrecord in front of the server and reads the port that it got. */
static pid_t start_recorder(int upstream, const char *trace, int *port)
{
	int err[2];
	pid_t pid;
	FILE *f;
	char url[64], line[256] = "";

	snprintf(url, sizeof(url), "http://127.0.0.1:%d", upstream);
	if (pipe(err) < 0 || (pid = fork()) < 0)
		die("fork");
	if (pid == 0) {
		dup2(err[1], 2);
		execlp("tokrecord", "tokrecord", "--listen", "127.0.0.1:0", "--upstream", url, "-o", trace, (char *)NULL);
		die("tokrecord");
	}
	close(err[1]);
	f = fdopen(err[0], "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "listening on 127.0.0.1:%d", port) == 1)
			return pid;
	fprintf(stderr, "bench: tokrecord does not start: %s\n", line);
	exit(1);
}

static int descriptors(pid_t pid)
{
	char path[64];
	DIR *d;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static double recorder_cpu_s(pid_t pid)
{
	char path[64];
	unsigned long user, sys;
	FILE *f;
	int got;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	got = fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys);
	fclose(f);
	return got == 2 ? (double)(user + sys) / (double)sysconf(_SC_CLK_TCK) : 0;
}

static long peak_kib(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void measure(int streams, int rate, int seconds, int port, int through, pid_t recorder)
{
	struct sample direct = { NULL, 0, 0 }, relayed = { NULL, 0, 0 };
	int before = descriptors(recorder), left;
	double cpu = recorder_cpu_s(recorder), took_s = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t t;

		round_of(port, streams, NS_PER_S / rate, &direct);
		t = clock_mono_ns();
		round_of(through, streams, NS_PER_S / rate, &relayed);
		took_s += (double)(clock_mono_ns() - t) / 1e9;
	}
	cpu = recorder_cpu_s(recorder) - cpu;
	/* Connections to the server are kept for some seconds. */
	for (int i = 0; i < 150 && descriptors(recorder) > before; i++)
		usleep(100000);
	left = descriptors(recorder) - before;
	printf("%d streams, %d tokens/s each, %d x %d s; microseconds from send to read\n", streams, rate, ROUNDS, seconds);
	printf("%-18s %9s %9s %9s %9s %9s\n", "", "events", "p50", "p90", "p99", "p99.9");
	print_row("direct", &direct);
	print_row("through tokrecord", &relayed);
	printf("%-18s %9s %9.1f %9.1f %9.1f %9.1f\n", "added", "", percentile_us(&relayed, 0.5) - percentile_us(&direct, 0.5),
	       percentile_us(&relayed, 0.9) - percentile_us(&direct, 0.9),
	       percentile_us(&relayed, 0.99) - percentile_us(&direct, 0.99),
	       percentile_us(&relayed, 0.999) - percentile_us(&direct, 0.999));
	printf("tokrecord: %.0f %% of a core, %.1f us per event, %ld MiB at most; %d descriptors more than before\n",
	       100 * cpu / took_s, 1e6 * cpu / (double)relayed.n, peak_kib(recorder) / 1024, left);
	free(direct.ns);
	free(relayed.ns);
}

int main(int argc, char **argv)
{
	int streams = argc > 1 ? atoi(argv[1]) : 256, rate = argc > 2 ? atoi(argv[2]) : 50;
	int seconds = argc > 3 ? atoi(argv[3]) : 4, port, through = 0, listener, status;
	char trace[] = "/tmp/toktrace-bench-XXXXXX";
	struct paced_opts po;
	pid_t server, recorder;

	if (streams < 1 || rate < 1 || seconds < 1 || !mkdtemp(trace))
		return 2;
	raise_limit();
	po = (struct paced_opts){ NS_PER_S / rate, rate * seconds };
	listener = paced_listen(&port);
	server = fork();
	if (server == 0)
		paced_serve(listener, &po);
	close(listener);
	if (chdir(trace) < 0)
		die(trace);
	recorder = start_recorder(port, "bench.tok", &through);
	measure(streams, rate, seconds, port, through, recorder);
	kill(recorder, SIGTERM);
	waitpid(recorder, &status, 0);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	if (system("tokconvert check bench.tok && rm -f bench.tok*") != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return 1;
	rmdir(trace);
	return 0;
}
