internal import COpenSSL

/// A private key on P-256 (FIPS 186-4) that makes ES256 signatures (RFC 7518 section 3.4). Shared by reference;
/// never printed.
public struct SigningKey: Sendable, CustomStringConvertible {
    let handle: PrivateKeyHandle

    /// Reads a key in PEM: PKCS #8 as Apple's `.p8` files have it, or SEC 1.
    ///
    /// - Throws: `cryptography.key-malformed` for anything that is not an unencrypted private key,
    ///   `cryptography.key-unsuitable` for one that is not on P-256.
    public init(pem text: Span<UInt8>) throws(CryptographyError) {
        try self.init(PrivateKeyHandle(pem: text))
    }

    /// Takes a key that is already in memory.
    package init(_ handle: PrivateKeyHandle) throws(CryptographyError) {
        guard handle.kind == .p256 else { throw .keyUnsuitable }
        self.handle = handle
    }

    /// Makes a new key from the system's random numbers.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public static func generate() throws(CryptographyError) -> SigningKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .opensslFailure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else {
            ERR_clear_error()
            throw .opensslFailure
        }
        return try SigningKey(unsafe PrivateKeyHandle(takingOwnership: key))
    }

    /// The key as PKCS #8 in PEM, in the clear: for a file that only its owner can read.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func pem() throws(CryptographyError) -> String {
        try handle.pem()
    }

    /// Signs `message`; the result is r‖s, 64 bytes, as JWS wants it. Every call gives another signature.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).sign(message)
    }

    /// Signs `message`; the result is the DER form that X.509 and Apple's first promotional-offer signatures have.
    ///
    /// - Throws: `cryptography.openssl-failure`.
    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).signDER(message)
    }

    /// Lends the key; the pointer must not be kept.
    func withPointer<Outcome>(_ body: (OpaquePointer) -> Outcome) -> Outcome {
        unsafe handle.withPointer(body)
    }

    /// Never the key.
    public var description: String { "P-256 private key" }
}
