internal import COpenSSL
package import Cryptography

/// A private key of one of the kinds that test certificates need. Copies share the key by reference, and the key is never
/// printed.
package struct PrivateKey: Sendable, CustomStringConvertible {
    package enum Algorithm: String, Sendable {
        case p256, p384, p521
        /// P-256 with its parameters spelled out instead of the curve's name.
        case p256Explicit
        case rsa1024, rsa2048, rsa4096
        case ed25519
    }

    package let algorithm: Algorithm
    private let handle: PrivateKeyHandle
    /// The public key as SubjectPublicKeyInfo in DER.
    package let publicKeyDER: [UInt8]

    package static func generate(_ algorithm: Algorithm) throws(CryptographyError) -> PrivateKey {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm.opensslName, nil)
        guard let context = unsafe context else { throw .opensslFailure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe algorithm.configure(context),
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else { throw .opensslFailure }
        return try PrivateKey(algorithm, unsafe PrivateKeyHandle(takingOwnership: key))
    }

    private init(_ algorithm: Algorithm, _ handle: PrivateKeyHandle) throws(CryptographyError) {
        self.algorithm = algorithm
        self.handle = handle
        publicKeyDER = try handle.publicKeyDER()
    }

    package func pem() throws(CryptographyError) -> String { try handle.pem() }

    /// Throws `cryptography.key-unsuitable` when the key is not on P-256.
    package func signingKey() throws(CryptographyError) -> SigningKey { try SigningKey(handle) }

    /// Returns the signature in the form that X.509 certificates have. Ed25519 keys ignore `digest`.
    package func sign(_ message: Span<UInt8>, digest: SignatureDigest) throws(CryptographyError) -> [UInt8] {
        try handle.sign(message, digest: algorithm == .ed25519 ? nil : digest.rawValue)
    }

    package var description: String { "\(algorithm.rawValue) private key" }
}

extension PrivateKey.Algorithm {
    var opensslName: String {
        switch self {
        case .p256, .p384, .p521, .p256Explicit: "EC"
        case .rsa1024, .rsa2048, .rsa4096: "RSA"
        case .ed25519: "ED25519"
        }
    }

    fileprivate func configure(_ context: OpaquePointer) -> Bool {
        switch self {
        case .p256: unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
        case .p384: unsafe EVP_PKEY_CTX_set_group_name(context, "P-384") == 1
        case .p521: unsafe EVP_PKEY_CTX_set_group_name(context, "P-521") == 1
        case .p256Explicit:
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
                && EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_EXPLICIT_CURVE) == 1
        case .rsa1024: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) == 1
        case .rsa2048: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1
        case .rsa4096: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 4096) == 1
        case .ed25519: true
        }
    }
}

/// The digest of a certificate's signature. The raw value is libcrypto's name.
package enum SignatureDigest: String, Sendable {
    /// Broken since 2017. The service must refuse it.
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// Returns the AlgorithmIdentifier (RFC 5480, RFC 8017, RFC 8410) of a signature with a key of the kind `algorithm`.
    func algorithmIdentifier(for algorithm: PrivateKey.Algorithm) -> [UInt8] {
        switch algorithm {
        case .p256, .p384, .p521, .p256Explicit:
            DER.sequence(DER.objectIdentifier(ellipticCurveIdentifier))
        case .rsa1024, .rsa2048, .rsa4096:
            DER.sequence(DER.objectIdentifier(rsaIdentifier), DER.null)
        case .ed25519:
            DER.sequence(DER.objectIdentifier("1.3.101.112"))
        }
    }

    private var ellipticCurveIdentifier: String {
        switch self {
        case .sha1: "1.2.840.10045.4.1"
        case .sha256: "1.2.840.10045.4.3.2"
        case .sha384: "1.2.840.10045.4.3.3"
        case .sha512: "1.2.840.10045.4.3.4"
        }
    }

    private var rsaIdentifier: String {
        switch self {
        case .sha1: "1.2.840.113549.1.1.5"
        case .sha256: "1.2.840.113549.1.1.11"
        case .sha384: "1.2.840.113549.1.1.12"
        case .sha512: "1.2.840.113549.1.1.13"
        }
    }
}
