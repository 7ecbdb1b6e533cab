// Checks of ECDSA signatures on P-256 with a table of multiples of the public key.
//
// A check (FIPS 186-5 section 6.4.2) multiplies two points: the generator of the curve and the public key. libcrypto has a
// table of multiples for the generator alone, so the key takes six times as long. But libcrypto makes such a table for the
// generator of any group. So there is a second group here, with the key as its generator. All arithmetic is libcrypto's.
// The time of a check depends on the signature, which is no secret. Where libcrypto has no fast code for P-256, as it has for
// x86-64 and ARM64, a check may take longer with the table; its result is the same. With the FIPS provider there are no tables,
// because their arithmetic is outside of it.
#ifndef RETENTION_COPENSSL_KEY_TABLE_H
#define RETENTION_COPENSSL_KEY_TABLE_H

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/objects.h>

// libcrypto 3 calls this function deprecated and has no other for its purpose, so shim.h hides its declaration. The symbol
// is weak: where libcrypto lacks it, there are no tables, and nothing else changes.
int EC_GROUP_precompute_mult(EC_GROUP *group, BN_CTX *context) __attribute__((weak));

// One table, and the room for one check. The numbers have their names in FIPS 186-5.
typedef struct rt_key_table {
    EC_GROUP *curve;
    EC_GROUP *keyed;
    BN_CTX *context;
    EC_POINT *sum;
    EC_POINT *product;
    BIGNUM *r;
    BIGNUM *s;
    BIGNUM *e;
    BIGNUM *u;
    BIGNUM *v;
} rt_key_table;

static inline void rt_key_table_free(rt_key_table *table) {
    if (!table) return;
    BN_free(table->r);
    BN_free(table->s);
    BN_free(table->e);
    BN_free(table->u);
    BN_free(table->v);
    EC_POINT_free(table->sum);
    EC_POINT_free(table->product);
    EC_GROUP_free(table->keyed);
    EC_GROUP_free(table->curve);
    BN_CTX_free(table->context);
    OPENSSL_free(table);
}

// Makes the table of the public key that is encoded in `length` bytes at `point` (SEC 1 section 2.3.3). Returns NULL when
// they are not a point of P-256 other than infinity, and when libcrypto cannot make a table.
static inline rt_key_table *rt_key_table_new(const unsigned char *point, size_t length) {
    if (!EC_GROUP_precompute_mult || EVP_default_properties_is_fips_enabled(NULL)) return NULL;
    rt_key_table *table = OPENSSL_zalloc(sizeof *table);
    if (!table) return NULL;
    table->context = BN_CTX_new();
    table->curve = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    table->keyed = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    table->r = BN_new();
    table->s = BN_new();
    table->e = BN_new();
    table->u = BN_new();
    table->v = BN_new();
    if (table->curve && table->keyed) {
        table->sum = EC_POINT_new(table->curve);
        table->product = EC_POINT_new(table->keyed);
    }
    if (table->context && table->r && table->s && table->e && table->u && table->v && table->sum && table->product
        && EC_POINT_oct2point(table->keyed, table->product, point, length, table->context) == 1
        && EC_POINT_is_at_infinity(table->keyed, table->product) == 0
        && EC_GROUP_set_generator(table->keyed, table->product, EC_GROUP_get0_order(table->curve),
                                  EC_GROUP_get0_cofactor(table->curve)) == 1
        && EC_GROUP_precompute_mult(table->keyed, table->context) == 1) {
        return table;
    }
    rt_key_table_free(table);
    return NULL;
}

// Checks a signature (r and s, 32 bytes each, big-endian) of a message with this SHA-256. Returns 1 when it is valid, 0
// when it is not, and -1 when libcrypto failed, for example for lack of memory.
static inline int rt_key_table_check(rt_key_table *table, const unsigned char signature[64],
                                     const unsigned char digest[32]) {
    const BIGNUM *n = EC_GROUP_get0_order(table->curve);
    BN_CTX *context = table->context;
    if (!BN_bin2bn(signature, 32, table->r) || !BN_bin2bn(signature + 32, 32, table->s)
        || !BN_bin2bn(digest, 32, table->e)) {
        return -1;
    }
    if (BN_is_zero(table->r) || BN_is_zero(table->s) || BN_cmp(table->r, n) >= 0 || BN_cmp(table->s, n) >= 0) {
        return 0;
    }
    // u = e / s and v = r / s modulo n; then the sum of u times the generator and v times the key.
    if (!BN_mod_inverse(table->s, table->s, n, context) || !BN_mod_mul(table->u, table->e, table->s, n, context)
        || !BN_mod_mul(table->v, table->r, table->s, n, context)
        || EC_POINT_mul(table->curve, table->sum, table->u, NULL, NULL, context) != 1
        || EC_POINT_mul(table->keyed, table->product, table->v, NULL, NULL, context) != 1
        || EC_POINT_add(table->curve, table->sum, table->sum, table->product, context) != 1) {
        return -1;
    }
    if (EC_POINT_is_at_infinity(table->curve, table->sum)) return 0;
    if (EC_POINT_get_affine_coordinates(table->curve, table->sum, table->u, NULL, context) != 1
        || !BN_nnmod(table->u, table->u, n, context)) {
        return -1;
    }
    return BN_cmp(table->u, table->r) == 0;
}

#endif
