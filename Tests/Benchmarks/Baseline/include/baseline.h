// The work in plain C with which retentiond is compared. It uses only libcrypto and libsqlite3, and remembers no results.
//
// A bodies file is a sequence of [length, four bytes, little-endian][request body]; each body is exactly
// {"signedPayload":"header.payload.signature"}.
#ifndef RETENTION_BASELINE_H
#define RETENTION_BASELINE_H

#include <stddef.h>
#include <stdint.h>

// The parts of a body that are needed to check its signature.
struct baseline_compact {
    const uint8_t *input;  // header.payload, the signed text
    size_t input_length;
    const uint8_t *header;  // the encoded header
    size_t header_length;
    uint8_t signature[72];  // DER
    size_t signature_length;
};

// Finds the JWS of a body and decodes its signature. Returns 0 when there is no JWS. The small FastCGI responder does
// no other work on text.
int baseline_split(const uint8_t *body, size_t length, struct baseline_compact *parts);

// Decodes unpadded base64url, also with + and /. Returns the number of bytes, or -1.
long baseline_decode(const uint8_t *text, size_t length, uint8_t *output);

// Checks one signature with a new digest context; `key` is an EVP_PKEY. Returns 1 when the signature is good.
int baseline_verify(void *key, const struct baseline_compact *parts);

// Returns the public key of a DER certificate in a file, as an EVP_PKEY; NULL when it cannot be read.
void *baseline_key_of_file(const char *path);

// The bodies of a file, already split, with the public key that belongs to all signatures.
typedef struct baseline_payloads baseline_payloads;
baseline_payloads *baseline_payloads_open(const char *bodies, const char *leaf);
void baseline_payloads_close(baseline_payloads *payloads);

// Verifies `count` payloads from `first` on, in turn. Returns the processor time of this thread in nanoseconds, or 0
// when a signature was bad.
uint64_t baseline_payloads_verify(const baseline_payloads *payloads, size_t first, size_t count);

// The bodies of a file, each with its own chain under one root.
typedef struct baseline_chains baseline_chains;
baseline_chains *baseline_chains_open(const char *bodies, const char *root);
void baseline_chains_close(baseline_chains *chains);

// For `count` bodies from `first` on: parses three certificates, builds and checks the chain (X509_STRICT, security
// level 2), checks the signature. Returns the processor time of this thread in nanoseconds, or 0 when a body was bad.
uint64_t baseline_chains_verify(const baseline_chains *chains, size_t first, size_t count);

// A new SQLite file with one table, of which each row has the bytes of a request body; NULL when it cannot be made.
typedef struct baseline_inserter baseline_inserter;
baseline_inserter *baseline_inserter_open(const char *path);
void baseline_inserter_close(baseline_inserter *inserter);

// Inserts `count` bodies in one transaction. Returns the processor time of this thread in nanoseconds, or 0 when that
// failed.
uint64_t baseline_inserter_insert(
    baseline_inserter *inserter, const uint8_t *const *bodies, const size_t *lengths, size_t count
);

// Returns the processor time of the calling thread in nanoseconds.
uint64_t baseline_thread_nanoseconds(void);

#endif
