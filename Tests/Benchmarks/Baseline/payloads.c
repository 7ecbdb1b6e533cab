// Bare verification: EVP_DigestVerify over the signed bytes, with a key that is already loaded.
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "internal.h"

struct baseline_payloads {
    struct baseline_bodies bodies;
    EVP_PKEY *key;
};

uint64_t baseline_thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint8_t *baseline_read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    uint8_t *bytes = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0) bytes = malloc((size_t)size);
    rewind(file);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *length = bytes ? (size_t)size : 0;
    return bytes;
}

static uint32_t length_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

int baseline_bodies_read(struct baseline_bodies *bodies, const char *path) {
    size_t size = 0;
    bodies->count = 0;
    bodies->parts = NULL;
    bodies->bytes = baseline_read_file(path, &size);
    if (!bodies->bytes) return 0;
    size_t capacity = 0;
    for (size_t at = 0; at < size;) {
        uint32_t length = size - at >= 4 ? length_at(bodies->bytes + at) : UINT32_MAX;
        if (length > size - at - 4) return 0;
        if (bodies->count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            void *grown = realloc(bodies->parts, capacity * sizeof *bodies->parts);
            if (!grown) return 0;
            bodies->parts = grown;
        }
        if (!baseline_split(bodies->bytes + at + 4, length, &bodies->parts[bodies->count])) return 0;
        bodies->count++;
        at += 4 + length;
    }
    return bodies->count > 0;
}

void baseline_bodies_free(struct baseline_bodies *bodies) {
    free(bodies->parts);
    free(bodies->bytes);
}

void *baseline_key_of_file(const char *path) {
    size_t size = 0;
    uint8_t *bytes = baseline_read_file(path, &size);
    const uint8_t *position = bytes;
    X509 *certificate = bytes ? d2i_X509(NULL, &position, (long)size) : NULL;
    EVP_PKEY *key = certificate ? X509_get_pubkey(certificate) : NULL;
    X509_free(certificate);
    free(bytes);
    return key;
}

baseline_payloads *baseline_payloads_open(const char *bodies, const char *leaf) {
    baseline_payloads *payloads = calloc(1, sizeof *payloads);
    if (!payloads) return NULL;
    payloads->key = baseline_key_of_file(leaf);
    if (payloads->key && baseline_bodies_read(&payloads->bodies, bodies)) return payloads;
    baseline_payloads_close(payloads);
    return NULL;
}

void baseline_payloads_close(baseline_payloads *payloads) {
    if (!payloads) return;
    baseline_bodies_free(&payloads->bodies);
    EVP_PKEY_free(payloads->key);
    free(payloads);
}

int baseline_verify(void *key, const struct baseline_compact *parts) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestVerify(
               context, parts->signature, parts->signature_length, parts->input, parts->input_length) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

uint64_t baseline_payloads_verify(const baseline_payloads *payloads, size_t first, size_t count) {
    uint64_t start = baseline_thread_nanoseconds();
    for (size_t i = 0; i < count; i++) {
        if (!baseline_verify(payloads->key, &payloads->bodies.parts[(first + i) % payloads->bodies.count])) return 0;
    }
    return baseline_thread_nanoseconds() - start;
}
