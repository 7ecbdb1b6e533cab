// The work in plain C that retentiond is held against: nothing but libcrypto, no memory of results.
//
// A bodies file is a sequence of [length, four bytes, little-endian][request body]; each body is exactly
// {"signedPayload":"header.payload.signature"}.
#ifndef RETENTION_BASELINE_H
#define RETENTION_BASELINE_H

#include <stddef.h>
#include <stdint.h>

// Where the parts of a body lie that are needed to check its signature.
struct baseline_compact {
    const uint8_t *input;  // header.payload, what is signed
    size_t input_length;
    const uint8_t *header;  // the encoded header
    size_t header_length;
    uint8_t signature[72];  // DER
    size_t signature_length;
};

// Finds the JWS of a body and decodes its signature; 0 when there is none. All of the text work that the small
// FastCGI responder does.
int baseline_split(const uint8_t *body, size_t length, struct baseline_compact *parts);

// Decodes unpadded base64url (with + and / too); returns the number of bytes, or -1.
long baseline_decode(const uint8_t *text, size_t length, uint8_t *output);

// Checks one signature with a new digest context; `key` is an EVP_PKEY. 1 when good.
int baseline_verify(void *key, const struct baseline_compact *parts);

// The public key of a DER certificate in a file, as an EVP_PKEY; NULL when it cannot be read.
void *baseline_key_of_file(const char *path);

// A file of bodies, split beforehand, with the key that made all signatures.
typedef struct baseline_payloads baseline_payloads;
baseline_payloads *baseline_payloads_open(const char *bodies, const char *leaf);
void baseline_payloads_close(baseline_payloads *payloads);

// Verifies `count` payloads from `first` on, in turn; processor time of this thread in nanoseconds, 0 when one was bad.
uint64_t baseline_payloads_verify(const baseline_payloads *payloads, size_t first, size_t count);

// A file of bodies, each with a chain of its own, under one root.
typedef struct baseline_chains baseline_chains;
baseline_chains *baseline_chains_open(const char *bodies, const char *root);
void baseline_chains_close(baseline_chains *chains);

// For `count` bodies from `first` on: parses three certificates, builds and checks the chain (X509_STRICT, security
// level 2), checks the signature. Processor time of this thread in nanoseconds, 0 when one was bad.
uint64_t baseline_chains_verify(const baseline_chains *chains, size_t first, size_t count);

// A private key on P-256 from a PEM file; NULL when it cannot be read.
typedef struct baseline_signer baseline_signer;
baseline_signer *baseline_signer_open(const char *path);
void baseline_signer_close(baseline_signer *signer);

// Signs `count` different texts of `length` bytes, each with a new digest context; processor time of this thread in
// nanoseconds, 0 when one could not be signed.
uint64_t baseline_signer_sign(const baseline_signer *signer, size_t length, size_t count);

// Processor time of the calling thread, in nanoseconds.
uint64_t baseline_thread_nanoseconds(void);

#endif
