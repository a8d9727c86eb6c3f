#include <config.h>

#include "record/tls.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

struct tls {
	SSL_CTX *ctx;
};

static int fail(struct err *e, const char *what, const char *file)
{
	const char *why = ERR_reason_error_string(ERR_peek_last_error());

	ERR_clear_error();
	return err_set(e, "%s: %s: %s", what, file, why ? why : "cannot be read");
}

static int load(SSL_CTX *ctx, const char *cert, const char *key, struct err *e)
{
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
		return fail(e, "--cert: no PEM certificate in", cert);
	if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
		return fail(e, "--key: no usable PEM key for the certificate in", key);
	if (SSL_CTX_check_private_key(ctx) != 1)
		return fail(e, "--key: not the certificate's", key);
	return 0;
}

/* The first protocol that a client offers is HTTP/1.1 or none that we speak. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *n, const unsigned char *in,
			   unsigned in_n, void *arg)
{
	static const unsigned char ours[] = "\x08http/1.1";

	(void)ssl, (void)arg;
	return SSL_select_next_proto((unsigned char **)(size_t)out, n, ours, sizeof(ours) - 1, in, in_n) ==
			OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

struct tls *tls_create(const char *cert, const char *key, struct err *e)
{
	struct tls *t = calloc(1, sizeof(*t));

	if (t)
		t->ctx = SSL_CTX_new(TLS_server_method());
	if (!t || !t->ctx) {
		tls_free(t);
		err_set(e, "out of memory");
		return NULL;
	}
	SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION);
	SSL_CTX_set_alpn_select_cb(t->ctx, choose_protocol, NULL);
	/* Thousands of idle streams need no read and write buffers of their own. */
	SSL_CTX_set_mode(t->ctx, SSL_MODE_RELEASE_BUFFERS);
	if (load(t->ctx, cert, key, e) < 0) {
		tls_free(t);
		return NULL;
	}
	return t;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	SSL_CTX_free(t->ctx);
	free(t);
}

struct bufferevent *tls_accept(struct event_base *base, void *tls)
{
	struct tls *t = tls;
	SSL *ssl = SSL_new(t->ctx);
	struct bufferevent *bev = NULL;

	if (ssl)
		bev = bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING,
						     BEV_OPT_CLOSE_ON_FREE);
	if (!bev)
		SSL_free(ssl);
	else
		bufferevent_openssl_set_allow_dirty_shutdown(bev, 1); /* HTTP's framing says what is whole */
	return bev;
}
