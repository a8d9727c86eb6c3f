#include <config.h>

#include "record/salt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_file(const char *path, char *p, size_t max, size_t *n, struct err *e)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	*n = fread(p, 1, max, f);
	if (ferror(f)) {
		err_set(e, "%s: %s", path, strerror(errno));
		fclose(f);
		return -1;
	}
	fclose(f);
	while (*n && isspace((unsigned char)p[*n - 1]))
		--*n;
	if (*n < SALT_MIN || *n > SALT_MAX)
		return err_set(e, "%s: a salt has %d to %d bytes, this one has %s%zu; "
			       "'openssl rand -hex 32' makes one", path, SALT_MIN, SALT_MAX,
			       *n > SALT_MAX ? "at least " : "", *n);
	return 0;
}

struct mac *salt_load(const char *path, struct err *e)
{
	char key[SALT_MAX + 1];
	size_t n = DIGEST_BYTES;
	struct mac *m = NULL;
	int rc;

	if (path)
		rc = read_file(path, key, sizeof(key), &n, e);
	else
		rc = random_bytes((unsigned char *)key, n) < 0 ? err_set(e, "no random numbers for the salt") : 0;
	if (rc == 0) {
		m = mac_create((struct str){ key, n });
		if (!m)
			err_set(e, "out of memory");
	}
	explicit_bzero(key, sizeof(key));
	return m;
}
