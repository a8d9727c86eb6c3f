#include <config.h>

#include "record/engines.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/base/secret.h"

enum { NAME_MAX_BYTES = 1 << 16 };

void engines_release(struct engines *e)
{
	arena_release(&e->store);
	free(e->v);
	*e = (struct engines){ .v = NULL };
}

/* "/base/" -> "/base"; "/" -> "". */
static struct str without_slash(struct str s)
{
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	return s;
}

static int parse_unix(struct engine *x, const char *path, struct arena *a)
{
	const char *colon = strstr(path, ":/");
	size_t n = colon ? (size_t)(colon - path) : strlen(path);

	if (*path != '/' || n < 2)
		return -1;
	x->url = "http://localhost";
	x->unix_socket = arena_str(a, (struct str){ path, n }).p;
	x->base = without_slash(str_of(colon ? colon + 1 : ""));
	return 0;
}

static int parse_http(struct engine *x, const char *url, size_t scheme, struct arena *a)
{
	size_t host = strcspn(url + scheme, "/?#");
	const char *path = url + scheme + host;

	if (host == 0 || strpbrk(path, "?#"))
		return -1;
	x->url = arena_str(a, (struct str){ url, scheme + host }).p;
	x->base = without_slash(str_of(path));
	return 0;
}

static int parse(struct engine *x, const char *arg, struct arena *a)
{
	const char *url = arg;

	*x = (struct engine){ .prefix = { "", 0 } };
	if (*arg == '/') {
		url = strchr(arg, '=');
		if (!url)
			return -1;
		x->prefix = without_slash((struct str){ arg, (size_t)(url - arg) });
		url++;
	}
	if (strncasecmp(url, "unix:", 5) == 0)
		return parse_unix(x, url + 5, a);
	if (strncasecmp(url, "http://", 7) == 0)
		return parse_http(x, url, 7, a);
	if (strncasecmp(url, "https://", 8) == 0)
		return parse_http(x, url, 8, a);
	return -1;
}

/* Without secrets; the prefix is none. */
static const char *shown_of(const char *arg, struct arena *a)
{
	const char *url = *arg == '/' ? strchr(arg, '=') + 1 : arg, *p;
	struct buf clean;

	buf_init(&clean, NAME_MAX_BYTES);
	buf_add(&clean, arg, (size_t)(url - arg));
	secret_scrub_url(str_of(url), &clean);
	p = arena_str(a, buf_str(&clean)).p;
	buf_release(&clean);
	return p;
}

int engines_add(struct engines *e, const char *arg, struct err *err)
{
	struct engine *v = realloc(e->v, (e->n + 1) * sizeof(*v)), *x;
	const char *own;

	if (!v)
		return err_set(err, "out of memory");
	e->v = v;
	x = &v[e->n];
	own = arena_str(&e->store, str_of(arg)).p;
	if (!own || parse(x, own, &e->store) < 0)
		return err_set(err, "'%s' is not a URL like http://127.0.0.1:8000 or unix:/run/engine.sock, "
			       "with or without '/prefix=' before it", arg);
	x->shown = shown_of(own, &e->store);
	if (!x->shown || !x->url)
		return err_set(err, "out of memory");
	e->n++;
	return 0;
}

void engines_show(const struct engines *e, struct buf *out)
{
	for (size_t i = 0; i < e->n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", e->v[i].shown);
}

const char *engines_path(const char *target)
{
	const char *host = *target == '/' ? NULL : strstr(target, "://"), *path;

	if (!host)
		return target;
	path = strpbrk(host + 3, "/?");
	return path ? path : "/";
}

static bool covers(const struct engine *x, const char *path)
{
	return strncmp(path, x->prefix.p, x->prefix.n) == 0 &&
	       (x->prefix.n == 0 || strchr("/?", path[x->prefix.n]));
}

const struct engine *engines_choose(struct engines *e, const char *path)
{
	struct engine *best = NULL;
	size_t n = 0, turn;

	for (size_t i = 0; i < e->n; i++)
		if (covers(&e->v[i], path) && (!best || e->v[i].prefix.n > best->prefix.n))
			best = &e->v[i];
	if (!best)
		return NULL;
	for (size_t i = 0; i < e->n; i++)
		n += str_eq(e->v[i].prefix, best->prefix);
	turn = best->turn++ % n;
	for (size_t i = 0; i < e->n; i++)
		if (str_eq(e->v[i].prefix, best->prefix) && turn-- == 0)
			return &e->v[i];
	return best;
}

static const char *joined(struct arena *a, struct str head, const char *tail)
{
	char *p = arena_alloc(a, head.n + strlen(tail) + 1);

	if (!p)
		return NULL;
	memcpy(p, head.p, head.n);
	strcpy(p + head.n, tail);
	return p;
}

const char *engine_path(const struct engine *x, const char *path, struct arena *a)
{
	const char *left = path + x->prefix.n;

	return *left == '/' || *left == '*' ? left : joined(a, (struct str){ "/", 1 }, left);
}

const char *engine_target(const struct engine *x, const char *path, struct arena *a)
{
	return x->base.n == 0 || *path == '*' ? path : joined(a, x->base, path);
}
