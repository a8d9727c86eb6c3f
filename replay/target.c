#include <config.h>

#include "replay/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/base/secret.h"

/* "/v1", "/v4" at the end. */
static bool ends_in_version(const char *s)
{
	size_t n = strlen(s), digits = 0;

	while (digits < n && isdigit((unsigned char)s[n - 1 - digits]))
		digits++;
	return digits > 0 && n >= digits + 2 && s[n - digits - 1] == 'v' && s[n - digits - 2] == '/';
}

static char *without_secrets(const char *url)
{
	struct buf b;
	char *s = NULL;

	buf_init(&b, 1 << 16);
	secret_scrub_url(str_of(url), &b);
	if (b.n)
		s = strndup(b.p, b.n);
	buf_release(&b);
	return s;
}

/* "unix:/run/engine.sock": the socket's path, and some host for the Host header. */
static int set_socket(struct target *t, const char *url, struct err *e)
{
	if (url[0] != '/' || strpbrk(url, "\r\n"))
		return err_set(e, "--base-url: 'unix:' needs a whole path like 'unix:/run/engine.sock'");
	t->unix_socket = strdup(url);
	t->base = strdup("http://localhost");
	t->shown = malloc(strlen(url) + 6);
	if (!t->unix_socket || !t->base || !t->shown)
		return err_set(e, "out of memory");
	strcpy(t->shown, "unix:");
	strcat(t->shown, url);
	return 0;
}

static int set_base(struct target *t, const char *url, struct err *e)
{
	const char *scheme = strstr(url, "://");
	size_t n = strlen(url);

	if (strncmp(url, "unix:", 5) == 0)
		return set_socket(t, url + 5, e);
	if (n == 0 || scheme == url || strpbrk(url, "?# \t\r\n") ||
	    (scheme && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0))
		return err_set(e, "--base-url: '%s' is no URL like 'http://127.0.0.1:8000/v1'", url);
	while (n > 1 && url[n - 1] == '/')
		n--;
	t->base = malloc(n + 8);
	if (!t->base)
		return err_set(e, "out of memory");
	strcpy(t->base, scheme ? "" : "http://");
	strncat(t->base, url, n);
	t->versioned = ends_in_version(t->base);
	t->shown = without_secrets(t->base);
	return t->shown ? 0 : err_set(e, "out of memory");
}

static int add_header(struct target *t, struct str name, struct str value, struct err *e)
{
	size_t size = name.n + value.n + 3;
	char *h = malloc(size);
	struct kv *kv = &t->public[t->n_headers];

	if (!h)
		return err_set(e, "out of memory");
	memcpy(h, name.p, name.n);
	memcpy(h + name.n, ": ", 2);
	memcpy(h + name.n + 2, value.p, value.n);
	h[size - 1] = '\0';
	t->headers[t->n_headers++] = h;
	kv->key = (struct str){ h, name.n };
	kv->value = secret_name(kv->key) ? str_of(SECRET_MARK) :
		(struct str){ h + name.n + 2, value.n };
	return 0;
}

static int add_given(struct target *t, const char *given, struct err *e)
{
	size_t n = strcspn(given, ":=");
	const char *value = given + n;

	/* What is wrong is named without its value, which may be a key. */
	if (n == 0 || !*value || strpbrk(given, "\r\n") || strcspn(given, " \t") < n)
		return err_set(e, "--header: '%.*s' is no header like 'Name: value'", (int)n, given);
	value++;
	while (*value == ' ')
		value++;
	return add_header(t, (struct str){ given, n }, str_of(value), e);
}

static bool has_header(const struct target *t, const char *name)
{
	for (size_t i = 0; i < t->n_headers; i++)
		if (t->public[i].key.n == strlen(name) &&
		    strncasecmp(t->public[i].key.p, name, strlen(name)) == 0)
			return true;
	return false;
}

static int add_key(struct target *t, const char *key, struct err *e)
{
	struct buf value;
	int rc;

	if (strpbrk(key, "\r\n"))
		return err_set(e, "the API key has a line break in it");
	buf_init(&value, 1 << 16);
	if (buf_printf(&value, "Bearer %s", key) < 0)
		rc = err_set(e, "the API key is too long");
	else
		rc = add_header(t, str_of("Authorization"), buf_str(&value), e);
	buf_release(&value);
	return rc;
}

int target_init(struct target *t, const char *base_url, const char *const *extra, size_t n_extra,
		const char *key, struct err *e)
{
	*t = (struct target){ .n_headers = 0 };
	t->headers = calloc(n_extra + 3, sizeof(*t->headers));
	t->public = calloc(n_extra + 3, sizeof(*t->public));
	if (!t->headers || !t->public) {
		target_release(t);
		return err_set(e, "out of memory");
	}
	if (set_base(t, base_url, e) < 0)
		goto fail;
	for (size_t i = 0; i < n_extra; i++)
		if (add_given(t, extra[i], e) < 0)
			goto fail;
	if (!has_header(t, "Content-Type") &&
	    add_header(t, str_of("Content-Type"), str_of("application/json"), e) < 0)
		goto fail;
	if (key && *key && !has_header(t, "Authorization") && add_key(t, key, e) < 0)
		goto fail;
	return 0;
fail:
	target_release(t);
	return -1;
}

void target_release(struct target *t)
{
	for (size_t i = 0; i < t->n_headers; i++)
		free(t->headers[i]);
	free(t->headers);
	free(t->public);
	free(t->base);
	free(t->shown);
	free(t->unix_socket);
	*t = (struct target){ .n_headers = 0 };
}

/* "/v1/chat" -> "/chat". */
static struct str without_version(struct str path)
{
	size_t i = 2;

	if (path.n < 3 || path.p[0] != '/' || path.p[1] != 'v')
		return path;
	while (i < path.n && isdigit((unsigned char)path.p[i]))
		i++;
	if (i > 2 && i < path.n && path.p[i] == '/')
		return (struct str){ path.p + i, path.n - i };
	return path;
}

/* A query that had a secret in it cannot be sent again. */
static struct str without_redacted_query(struct str path)
{
	const char *q = memchr(path.p, '?', path.n);

	if (q && memmem(path.p, path.n, SECRET_MARK, strlen(SECRET_MARK)))
		path.n = (size_t)(q - path.p);
	return path;
}

int target_url(const struct target *t, struct str endpoint, struct buf *out)
{
	struct str path = without_redacted_query(endpoint);

	if (t->versioned)
		path = without_version(path);
	buf_clear(out);
	if (buf_adds(out, t->base) < 0)
		return -1;
	if ((path.n == 0 || path.p[0] != '/') && buf_adds(out, "/") < 0)
		return -1;
	return buf_add(out, path.p, path.n) < 0 || buf_add(out, "", 1) < 0 ? -1 : 0;
}
