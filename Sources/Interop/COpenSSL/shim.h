// The parts of libcrypto 3 that the project uses. OPENSSL_NO_DEPRECATED hides the deprecated interfaces, so that using
// one is a compile error.
#ifndef RETENTION_COPENSSL_SHIM_H
#define RETENTION_COPENSSL_SHIM_H

#define OPENSSL_NO_DEPRECATED 1

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Swift does not import macros that are made of casts or of other macros, so they get a constant here.
enum { RT_XN_FLAG_RFC2253 = XN_FLAG_RFC2253 };

// Starts HMAC-SHA-256 with a key; returns what EVP_MAC_init returns. This is in C because an OSSL_PARAM keeps the
// address of its text, and the address of a Swift string is valid for one call only.
static inline int rt_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

#endif
