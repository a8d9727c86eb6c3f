#include <config.h>

#include "replay/talk.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 64 << 20, URL_MAX = 1 << 16 };

struct talk {
	const struct target *target;
	struct event_base *base;
	struct capture_pool *pool;
	struct buf url;
	struct talk_answer a;
};

struct talk *talk_open(const struct target *t, struct err *e)
{
	struct talk *k = calloc(1, sizeof(*k));
	struct capture_opts o = t->transport;

	if (!k) {
		err_set(e, "out of memory");
		return NULL;
	}
	k->target = t;
	buf_init(&k->url, URL_MAX);
	buf_init(&k->a.body, ANSWER_MAX);
	k->base = event_base_new();
	o.epoch_ns = clock_mono_ns();
	o.part_ns = NS_PER_S;
	o.no_text = true;
	k->pool = k->base ? capture_pool_create(k->base, &o, e) : NULL;
	if (k->pool)
		return k;
	err_set(e, "out of memory");
	talk_close(k);
	return NULL;
}

void talk_close(struct talk *k)
{
	if (!k)
		return;
	if (k->pool)
		capture_pool_free(k->pool);
	if (k->base)
		event_base_free(k->base);
	buf_release(&k->url);
	buf_release(&k->a.body);
	free(k);
}

static void on_head(void *arg, long status, const char *reason, const char *const *lines, size_t n,
		    int64_t t_ns)
{
	static const char name[] = "server:";
	struct talk *k = arg;

	(void)reason, (void)t_ns;
	k->a.http_status = status;
	for (size_t i = 0; i < n; i++) {
		const char *v = lines[i] + sizeof(name) - 1;

		if (strncasecmp(lines[i], name, sizeof(name) - 1) != 0)
			continue;
		v += strspn(v, " \t");
		if (strlen(v) < sizeof(k->a.server))
			strcpy(k->a.server, v);
	}
}

static bool on_bytes(void *arg, const char *p, size_t n, int64_t t_ns)
{
	struct talk *k = arg;

	(void)t_ns;
	/* Too long for an answer: it is then not whole. */
	if (buf_add(&k->a.body, p, n) < 0)
		k->a.http_status = COUNT_NONE;
	return true;
}

static void on_record(void *arg, const struct rec_response *r)
{
	(void)arg, (void)r;
}

static void on_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct talk *k = arg;

	(void)last;
	k->a.whole = clean_end && k->a.http_status != COUNT_NONE;
	event_base_loopbreak(k->base);
}

/* Cuts the version off the base URL that stands in k->url. */
static void server_url(struct talk *k)
{
	char *slash = strrchr(k->url.p, '/');

	*slash = '\0';
	k->url.n = (size_t)(slash - k->url.p);
}

static int make_url(struct talk *k, struct str path)
{
	bool below = path.n > 3 && strncmp(path.p, "/v1", 3) == 0;

	if (below || !k->target->versioned)
		return target_url(k->target, path, &k->url);
	buf_clear(&k->url);
	if (buf_add(&k->url, k->target->base, strlen(k->target->base) + 1) < 0)
		return -1;
	server_url(k);
	return buf_add(&k->url, path.p, path.n) < 0 || buf_add(&k->url, "", 1) < 0 ? -1 : 0;
}

int talk_ask(struct talk *k, struct str path, struct str body, struct talk_answer **out,
	     struct err *e)
{
	struct capture_request req = {
		.method = body.p ? "POST" : "GET", .unix_socket = k->target->unix_socket,
		.headers = (const char *const *)k->target->headers,
		.body = body, .has_body = body.p != NULL, .api = API_NONE, .arg = k,
		.on_head = on_head, .on_bytes = on_bytes, .on_record = on_record, .on_done = on_done,
	};
	struct err ignored;
	int64_t sent_ns;

	k->a.http_status = COUNT_NONE;
	k->a.whole = false;
	*k->a.server = '\0';
	buf_clear(&k->a.body);
	*out = &k->a;
	if (make_url(k, path) < 0)
		return err_set(e, "out of memory");
	req.url = k->url.p;
	if (capture_start(k->pool, &req, &sent_ns, &ignored))
		event_base_dispatch(k->base);
	return 0;
}
