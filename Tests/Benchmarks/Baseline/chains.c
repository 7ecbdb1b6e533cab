// Verifies the first request of an unseen chain in plain C: parses three certificates, checks the chain, then the
// signature.
#define _GNU_SOURCE
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct chain {
    uint8_t *der[3];
    size_t length[3];
};

struct baseline_chains {
    struct baseline_bodies bodies;
    struct chain *chains;
    X509_STORE *store;
    uint8_t *root;
    size_t root_length;
};

// Decodes the three strings of "x5c":[…] in a header; this is not part of the measured work.
static int read_chain(const struct baseline_compact *parts, struct chain *chain) {
    uint8_t *json = malloc(parts->header_length + 1);
    long length = json ? baseline_decode(parts->header, parts->header_length, json) : -1;
    const uint8_t *at = length > 0 ? memmem(json, (size_t)length, "\"x5c\":[", 7) : NULL;
    if (at) at += 7;
    int found = 0;
    for (; at && found < 3; found++) {
        const uint8_t *end = json + length;
        const uint8_t *open = memchr(at, '"', (size_t)(end - at));
        const uint8_t *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
        if (!close) break;
        size_t size = (size_t)(close - open - 1);
        while (size > 0 && open[size] == '=') size--;
        chain->der[found] = malloc(size + 1);
        long decoded = chain->der[found] ? baseline_decode(open + 1, size, chain->der[found]) : -1;
        if (decoded <= 0) break;
        chain->length[found] = (size_t)decoded;
        at = close + 1;
    }
    free(json);
    return found == 3;
}

static int make_store(baseline_chains *chains, const char *root) {
    chains->root = baseline_read_file(root, &chains->root_length);
    const uint8_t *position = chains->root;
    X509 *anchor = chains->root ? d2i_X509(NULL, &position, (long)chains->root_length) : NULL;
    chains->store = X509_STORE_new();
    int done = anchor && chains->store && X509_STORE_add_cert(chains->store, anchor) == 1;
    X509_free(anchor);
    return done;
}

baseline_chains *baseline_chains_open(const char *bodies, const char *root) {
    baseline_chains *chains = calloc(1, sizeof *chains);
    if (!chains) return NULL;
    int done = make_store(chains, root) && baseline_bodies_read(&chains->bodies, bodies);
    if (done) chains->chains = calloc(chains->bodies.count, sizeof *chains->chains);
    done = done && chains->chains;
    for (size_t i = 0; done && i < chains->bodies.count; i++) {
        done = read_chain(&chains->bodies.parts[i], &chains->chains[i]);
    }
    if (done) return chains;
    baseline_chains_close(chains);
    return NULL;
}

void baseline_chains_close(baseline_chains *chains) {
    if (!chains) return;
    for (size_t i = 0; chains->chains && i < chains->bodies.count; i++) {
        for (int j = 0; j < 3; j++) free(chains->chains[i].der[j]);
    }
    free(chains->chains);
    baseline_bodies_free(&chains->bodies);
    X509_STORE_free(chains->store);
    free(chains->root);
    free(chains);
}

static int check_chain(const baseline_chains *chains, X509 *leaf, X509 *intermediate) {
    STACK_OF(X509) *untrusted = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    int good = untrusted && context && sk_X509_push(untrusted, intermediate) > 0
        && X509_STORE_CTX_init(context, chains->store, leaf, untrusted) == 1;
    if (good) {
        X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
        X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT | X509_V_FLAG_NO_CHECK_TIME);
        X509_VERIFY_PARAM_set_auth_level(parameters, 2);
        good = X509_verify_cert(context) == 1;
    }
    X509_STORE_CTX_free(context);
    sk_X509_free(untrusted);
    return good;
}

static int verify_unseen(const baseline_chains *chains, const struct chain *chain, const struct baseline_compact *parts) {
    X509 *certificates[3];
    int parsed = 1;
    for (int i = 0; i < 3; i++) {
        const uint8_t *position = chain->der[i];
        certificates[i] = d2i_X509(NULL, &position, (long)chain->length[i]);
        parsed = parsed && certificates[i];
    }
    int good = parsed && chain->length[2] == chains->root_length
        && memcmp(chain->der[2], chains->root, chains->root_length) == 0
        && check_chain(chains, certificates[0], certificates[1]);
    EVP_PKEY *key = good ? X509_get_pubkey(certificates[0]) : NULL;
    good = key && baseline_verify(key, parts);
    EVP_PKEY_free(key);
    for (int i = 0; i < 3; i++) X509_free(certificates[i]);
    return good;
}

uint64_t baseline_chains_verify(const baseline_chains *chains, size_t first, size_t count) {
    uint64_t start = baseline_thread_nanoseconds();
    for (size_t i = 0; i < count; i++) {
        size_t index = (first + i) % chains->bodies.count;
        if (!verify_unseen(chains, &chains->chains[index], &chains->bodies.parts[index])) return 0;
    }
    return baseline_thread_nanoseconds() - start;
}
