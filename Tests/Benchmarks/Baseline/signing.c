// Bare signing: EVP_DigestSign with ECDSA and SHA-256, with a key that is already loaded.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"

struct baseline_signer {
    EVP_PKEY *key;
};

baseline_signer *baseline_signer_open(const char *path) {
    baseline_signer *signer = calloc(1, sizeof *signer);
    BIO *file = BIO_new_file(path, "r");
    if (signer && file) signer->key = PEM_read_bio_PrivateKey(file, NULL, NULL, NULL);
    BIO_free(file);
    if (signer && signer->key) return signer;
    baseline_signer_close(signer);
    return NULL;
}

void baseline_signer_close(baseline_signer *signer) {
    if (!signer) return;
    EVP_PKEY_free(signer->key);
    free(signer);
}

uint64_t baseline_signer_sign(const baseline_signer *signer, size_t length, size_t count) {
    uint8_t text[1024] = {0};
    if (length > sizeof text) return 0;
    uint64_t start = baseline_thread_nanoseconds();
    for (size_t i = 0; i < count; i++) {
        uint8_t signature[80];
        size_t size = sizeof signature;
        memcpy(text, &i, sizeof i);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        int good = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, signer->key) == 1
            && EVP_DigestSign(context, signature, &size, text, length) == 1;
        EVP_MD_CTX_free(context);
        if (!good) return 0;
    }
    return baseline_thread_nanoseconds() - start;
}
