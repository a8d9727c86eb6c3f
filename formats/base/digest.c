#include <config.h>

#include "formats/base/digest.h"

#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
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

static EVP_MAC_CTX *mac_ctx(struct mac *m)
{
	return (EVP_MAC_CTX *)(void *)m;
}

struct mac *mac_create(struct str key)
{
	char sha256[] = "SHA256", digest[] = "digest";
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(digest, sha256, 0), OSSL_PARAM_construct_end() };
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *c = hmac ? EVP_MAC_CTX_new(hmac) : NULL;

	EVP_MAC_free(hmac);
	if (c && EVP_MAC_init(c, (const unsigned char *)(key.p ? key.p : ""), key.n, params) != 1) {
		EVP_MAC_CTX_free(c);
		return NULL;
	}
	return (struct mac *)(void *)c;
}

void mac_free(struct mac *m)
{
	EVP_MAC_CTX_free(mac_ctx(m));
}

void mac_parts(struct mac *m, const struct str *parts, size_t n, unsigned char out[DIGEST_BYTES])
{
	size_t got = 0;

	memset(out, 0, DIGEST_BYTES);
	if (EVP_MAC_init(mac_ctx(m), NULL, 0, NULL) != 1)
		return;
	for (size_t i = 0; i < n; i++)
		if (parts[i].n && EVP_MAC_update(mac_ctx(m), (const unsigned char *)parts[i].p, parts[i].n) != 1)
			return;
	EVP_MAC_final(mac_ctx(m), out, &got, DIGEST_BYTES);
}

uint64_t mac_id(struct mac *m, const struct str *parts, size_t n)
{
	unsigned char md[DIGEST_BYTES];
	uint64_t id = 0;

	mac_parts(m, parts, n, md);
	for (int i = 0; i < 8; i++)
		id = id << 8 | md[i];
	return id;
}

int random_bytes(unsigned char *p, size_t n)
{
	return RAND_bytes(p, (int)n) == 1 ? 0 : -1;
}
