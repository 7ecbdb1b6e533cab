// The parts of libssl 3 that the load client and its tests use. OPENSSL_NO_DEPRECATED hides the deprecated interfaces.
#ifndef RETENTION_CTLS_SHIM_H
#define RETENTION_CTLS_SHIM_H

#define OPENSSL_NO_DEPRECATED 1

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// Swift does not import these macros of OpenSSL.

// SSL_write may return after a part of the bytes, and a repeated call may find the bytes at another address.
static inline void rt_tls_allow_partial_writes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// One recv(2) reads a whole record and whatever follows it, instead of the record's header alone.
static inline void rt_tls_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }

static inline void rt_tls_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Asks for the certificate of `name` and accepts no other. Returns 1 on success.
static inline int rt_tls_expect_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name) == 1 && SSL_set1_host(connection, name) == 1;
}

#endif
