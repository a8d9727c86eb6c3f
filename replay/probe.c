#include <config.h>

#include "replay/probe.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "record/capture.h"

enum { ANSWER_MAX = 1 << 20, PROBES = 2 };
#define PROBE_TIMEOUT_NS (2 * NS_PER_S)

struct question {
	struct capture_request req;
	struct buf url, answer;
	int *open; /* questions without an answer yet */
	struct event_base *base;
	bool ok;
};

static void copy_string(char *to, size_t size, const json_t *j)
{
	const char *s = json_string_value(j);

	/* A name that does not fit would be a wrong name. */
	if (s && strlen(s) < size)
		strcpy(to, s);
}

void probe_read_models(struct str json, struct probe *out)
{
	json_t *root = json_loadb(json.p, json.n, 0, NULL);
	const json_t *first = json_array_get(json_object_get(root, "data"), 0);

	copy_string(out->model, sizeof(out->model), json_object_get(first, "id"));
	copy_string(out->engine, sizeof(out->engine), json_object_get(first, "owned_by"));
	json_decref(root);
}

void probe_read_version(struct str json, struct probe *out)
{
	json_t *root = json_loadb(json.p, json.n, 0, NULL);

	copy_string(out->version, sizeof(out->version), json_object_get(root, "version"));
	json_decref(root);
}

static void on_head(void *arg, long status, const char *reason, const char *const *lines, size_t n,
		    int64_t t_ns)
{
	struct question *q = arg;

	(void)reason, (void)lines, (void)n, (void)t_ns;
	q->ok = status == 200;
}

static bool on_bytes(void *arg, const char *p, size_t n, int64_t t_ns)
{
	struct question *q = arg;

	(void)t_ns;
	if (buf_add(&q->answer, p, n) < 0)
		q->ok = false;
	return true;
}

static void on_record(void *arg, const struct rec_response *r)
{
	(void)arg, (void)r;
}

static void on_done(void *arg, const struct rec_response *last, bool clean_end)
{
	struct question *q = arg;

	(void)last;
	q->ok = q->ok && clean_end;
	if (--*q->open == 0)
		event_base_loopbreak(q->base);
}

static int ask(struct capture_pool *pool, const struct target *t, const char *path,
	       struct question *q)
{
	struct err ignored;
	int64_t sent_ns;

	buf_init(&q->url, 1 << 16);
	buf_init(&q->answer, ANSWER_MAX);
	if (target_url(t, str_of(path), &q->url) < 0)
		return -1;
	q->req = (struct capture_request){
		.method = "GET", .url = q->url.p, .unix_socket = t->unix_socket, .headers = (const char *const *)t->headers,
		.api = API_NONE, .arg = q, .on_head = on_head, .on_bytes = on_bytes,
		.on_record = on_record, .on_done = on_done,
	};
	return capture_start(pool, &q->req, &sent_ns, &ignored) ? 0 : -1;
}

static int run(struct event_base *base, const struct target *t, struct question q[PROBES],
	       struct err *e)
{
	static const char *const paths[PROBES] = { "/v1/models", "/version" };
	struct capture_opts o = t->transport;
	struct capture_pool *pool;
	int open = 0;

	o.epoch_ns = clock_mono_ns();
	o.connect_timeout_ns = o.idle_timeout_ns = o.total_timeout_ns = PROBE_TIMEOUT_NS;
	o.part_ns = NS_PER_S;
	o.no_text = true;
	pool = capture_pool_create(base, &o, e);
	if (!pool)
		return -1;
	for (int i = 0; i < PROBES; i++) {
		q[i].open = &open;
		q[i].base = base;
		if (ask(pool, t, paths[i], &q[i]) == 0)
			open++;
	}
	if (open > 0)
		event_base_dispatch(base);
	capture_pool_free(pool);
	return 0;
}

int probe_engine(const struct target *t, struct probe *out, struct err *e)
{
	struct event_base *base = event_base_new();
	struct question q[PROBES] = { { .ok = false } };
	int rc;

	*out = (struct probe){ "", "", "" };
	if (!base)
		return err_set(e, "out of memory");
	rc = run(base, t, q, e);
	if (rc == 0 && q[0].ok)
		probe_read_models(buf_str(&q[0].answer), out);
	if (rc == 0 && q[1].ok)
		probe_read_version(buf_str(&q[1].answer), out);
	for (int i = 0; i < PROBES; i++) {
		buf_release(&q[i].url);
		buf_release(&q[i].answer);
	}
	event_base_free(base);
	return rc;
}
