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

// Makes the P-256 key with this private number (32 bytes, big-endian) and this public point (65 bytes, uncompressed).
// Returns NULL on failure. The copy of the number that this makes is in the secure heap.
static inline EVP_PKEY *rt_p256_private_key(const unsigned char *number, const unsigned char *point) {
    unsigned char *native = OPENSSL_secure_malloc(32);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    if (native && context && EVP_PKEY_fromdata_init(context) == 1) {
        const union { unsigned short word; unsigned char bytes[2]; } order = {.word = 1};
        for (int i = 0; i < 32; i++) native[i] = order.bytes[0] ? number[31 - i] : number[i];
        char group[] = "P-256";
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, 32),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
            OSSL_PARAM_construct_end(),
        };
        if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1) key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OPENSSL_secure_clear_free(native, 32);
    return key;
}

static inline unsigned char *rt_secure_malloc(size_t count) { return OPENSSL_secure_zalloc(count); }
static inline void rt_secure_free(unsigned char *bytes, size_t count) { OPENSSL_secure_clear_free(bytes, count); }

#endif
