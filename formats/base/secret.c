#include <config.h>

#include "formats/base/secret.h"

#include <string.h>
#include <strings.h>

static bool has(struct str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

bool secret_name(struct str name)
{
	static const char *const words[] = {
		"auth", "cookie", "key", "token", "secret", "passw", "credential", "signature", NULL,
	};

	/* Limits on tokens are settings, not secrets. */
	if (has(name, "tokens"))
		return false;
	for (const char *const *w = words; *w; w++)
		if (has(name, *w))
			return true;
	return name.n == 3 && strncasecmp(name.p, "sig", 3) == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void secret_unescape(struct str part, struct buf *out)
{
	for (size_t i = 0; i < part.n; i++) {
		char c = part.p[i] == '+' ? ' ' : part.p[i];
		int high = c == '%' && i + 2 < part.n ? hex_digit(part.p[i + 1]) : -1;
		int low = high < 0 ? -1 : hex_digit(part.p[i + 2]);

		if (low >= 0) {
			c = (char)(high << 4 | low);
			i += 2;
		}
		buf_add(out, &c, 1);
	}
}

bool secret_parameter(struct str name)
{
	struct buf plain;
	bool secret;

	buf_init(&plain, name.n + 1);
	secret_unescape(name, &plain);
	secret = secret_name(buf_str(&plain));
	buf_release(&plain);
	return secret;
}

static void scrub_query(struct str q, struct buf *out)
{
	while (q.n) {
		const char *amp = memchr(q.p, '&', q.n);
		size_t n = amp ? (size_t)(amp - q.p) : q.n;
		const char *eq = memchr(q.p, '=', n);

		if (eq && secret_parameter((struct str){ q.p, (size_t)(eq - q.p) })) {
			buf_add(out, q.p, (size_t)(eq - q.p) + 1);
			buf_adds(out, SECRET_MARK);
		} else {
			buf_add(out, q.p, n);
		}
		if (amp)
			buf_adds(out, "&");
		q.p += n + (amp != NULL);
		q.n -= n + (amp != NULL);
	}
}

void secret_scrub_url(struct str url, struct buf *out)
{
	const char *scheme = url.n > 3 ? memmem(url.p, url.n, "://", 3) : NULL;
	const char *question = memchr(url.p, '?', url.n);
	size_t base = question ? (size_t)(question - url.p) : url.n;

	if (scheme && (size_t)(scheme - url.p) < base) {
		const char *host = scheme + 3;
		size_t left = base - (size_t)(host - url.p);
		const char *slash = memchr(host, '/', left);
		size_t authority = slash ? (size_t)(slash - host) : left;
		const char *at = memrchr(host, '@', authority);

		if (at) {
			buf_add(out, url.p, (size_t)(host - url.p));
			buf_adds(out, SECRET_MARK);
			url = (struct str){ at, url.n - (size_t)(at - url.p) };
			question = memchr(url.p, '?', url.n);
			base = question ? (size_t)(question - url.p) : url.n;
		}
	}
	buf_add(out, url.p, base);
	if (!question)
		return;
	buf_adds(out, "?");
	scrub_query((struct str){ question + 1, url.n - base - 1 }, out);
}

/* "Name: value" with a secret name, as after --header. */
static bool scrub_header(const char *arg, struct buf *out)
{
	const char *colon = strchr(arg, ':');

	if (!colon || strstr(arg, "://") == colon ||
	    !secret_name((struct str){ arg, (size_t)(colon - arg) }))
		return false;
	buf_add(out, arg, (size_t)(colon - arg));
	buf_adds(out, ": " SECRET_MARK);
	return true;
}

void secret_scrub_arg(const char *prev, const char *arg, struct buf *out)
{
	const char *eq = strchr(arg, '=');
	bool dashes = strncmp(arg, "--", 2) == 0;

	if (dashes && eq && strncmp(arg, "--header=", 9) == 0) {
		buf_adds(out, "--header=");
		if (!scrub_header(eq + 1, out))
			buf_adds(out, eq + 1);
		return;
	}
	if ((strcmp(prev, "--header") == 0 || strcmp(prev, "-H") == 0) && scrub_header(arg, out))
		return;
	/* --api-key-env and --api-key-file name a place, not a secret. */
	if (strncmp(prev, "--", 2) == 0 && !strchr(prev, '=') && !dashes && secret_name(str_of(prev)) &&
	    !strstr(prev, "-env") && !strstr(prev, "-file")) {
		buf_adds(out, SECRET_MARK);
		return;
	}
	if (dashes && eq && secret_name((struct str){ arg, (size_t)(eq - arg) }) &&
	    !strstr(arg, "-env=") && !strstr(arg, "-file=")) {
		buf_add(out, arg, (size_t)(eq - arg) + 1);
		buf_adds(out, SECRET_MARK);
		return;
	}
	secret_scrub_url(str_of(arg), out);
}

void secret_blot(struct str text, struct str needle, struct buf *out)
{
	while (needle.n >= 4 && text.n >= needle.n) {
		const char *hit = memmem(text.p, text.n, needle.p, needle.n);

		if (!hit)
			break;
		buf_add(out, text.p, (size_t)(hit - text.p));
		buf_adds(out, SECRET_MARK);
		text.n -= (size_t)(hit - text.p) + needle.n;
		text.p = hit + needle.n;
	}
	buf_add(out, text.p, text.n);
}
