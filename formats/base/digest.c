#include <config.h>

#include "formats/base/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* EVP_MD_CTX under a name of our own, so that only this file knows libcrypto. */
static EVP_MD_CTX *ctx(struct digest *d)
{
	return (EVP_MD_CTX *)(void *)d;
}

struct digest *digest_create(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		return NULL;
	}
	return (struct digest *)(void *)c;
}

void digest_add(struct digest *d, const void *p, size_t n)
{
	EVP_DigestUpdate(ctx(d), p, n);
}

void digest_finish(struct digest *d, char hex[DIGEST_HEX + 1])
{
	unsigned char md[EVP_MAX_MD_SIZE] = { 0 };

	EVP_DigestFinal_ex(ctx(d), md, NULL);
	EVP_MD_CTX_free(ctx(d));
	for (int i = 0; i < DIGEST_HEX / 2; i++)
		snprintf(hex + 2 * i, 3, "%02x", md[i]);
}

void digest_bytes(const void *p, size_t n, char hex[DIGEST_HEX + 1])
{
	struct digest *d = digest_create();

	memset(hex, 0, DIGEST_HEX + 1);
	if (!d)
		return;
	digest_add(d, p, n);
	digest_finish(d, hex);
}
