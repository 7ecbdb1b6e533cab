internal import COpenSSL
internal import JSON
internal import System

/// A private key on P-256 (FIPS 186-4) that makes ES256 signatures (RFC 7518 section 3.4). Copies share the key by
/// reference, and the key is never printed.
public struct SigningKey: Sendable, CustomStringConvertible {
    let handle: PrivateKeyHandle

    public init(_ handle: PrivateKeyHandle) throws(CryptographyError) {
        guard handle.kind == .p256 else { throw .keyUnsuitable }
        self.handle = handle
    }

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

    /// Returns the key as PKCS #8 in PEM, unencrypted. Write it only to a file that nobody but its owner can read.
    public func pem() throws(CryptographyError) -> String {
        try handle.pem()
    }

    /// Returns the SHA-256 digest of the public half, as SubjectPublicKeyInfo (RFC 5280).
    public func publicKeyDigest() throws(CryptographyError) -> SHA256Digest {
        let key = try handle.publicKeyDER()
        return SHA256.hash(key.span)
    }

    /// Signs `message` and returns r‖s, 64 bytes, the form that JWS requires. Every call returns another signature.
    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).sign(message)
    }

    /// Signs `message` and returns the signature in DER, the form of X.509 and of Apple's promotionalOfferSignatureV1.
    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try ES256Signer(self).signDER(message)
    }

    func withPointer<Outcome>(_ body: (OpaquePointer) -> Outcome) -> Outcome {
        unsafe handle.withPointer(body)
    }

    public var description: String { "P-256 private key" }
}

extension SigningKey {
    /// Reads the text of a `.p8` file as App Store Connect hands it out: one unencrypted key in PEM. Throws
    /// `cryptography.key-encrypted`, `cryptography.key-not-private`, `cryptography.key-malformed`, `cryptography.key-unsuitable`.
    public init(p8 text: Span<UInt8>) throws(CryptographyError) {
        let labels = String(decoding: text.copied(), as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { $0.hasPrefix("-----BEGIN ") }
        guard let label = labels.first, labels.count == 1 else { throw .keyMalformed }
        if label.contains("ENCRYPTED") { throw .keyEncrypted }
        if label.contains("CERTIFICATE") || label.contains("PUBLIC") { throw .keyNotPrivate }
        ERR_clear_error()
        defer { ERR_clear_error() }
        let key = unsafe text.withUnsafeBufferPointer { block -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(block.baseAddress, Int32(clamping: block.count)) else {
                return nil
            }
            defer { unsafe BIO_free_all(source) }
            // Nobody is there to be asked for a password.
            return unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else { throw .keyMalformed }
        try self.init(unsafe PrivateKeyHandle(takingOwnership: key))
    }
}

/// The only owner of a private key of OpenSSL's (`EVP_PKEY`). Signing only reads the key, so threads may share it. The
/// handle writes keys in PEM as PKCS #8 (RFC 5958), unencrypted.
@safe public final class PrivateKeyHandle: @unchecked Sendable {  // only read after init
    private let pointer: OpaquePointer

    public init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    public func withPointer<Outcome, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        try unsafe body(pointer)
    }

    public var kind: KeyKind { unsafe KeyKind(of: pointer) }

    /// Returns the public half as SubjectPublicKeyInfo (RFC 5280).
    public func publicKeyDER() throws(CryptographyError) -> [UInt8] {
        let length = unsafe i2d_PUBKEY(pointer, nil)
        guard length > 0 else { throw .opensslFailure }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { block, count in
            var position = block.baseAddress
            count = unsafe Int(max(0, i2d_PUBKEY(pointer, &position)))
        }
    }

    public func pem() throws(CryptographyError) -> String {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { throw .opensslFailure }
        defer { unsafe BIO_free_all(output) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(output, pointer, nil, nil, 0, nil, nil) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output))
        let count = unsafe BIO_read(output, &bytes, Int32(clamping: bytes.count))
        guard Int(count) == bytes.count else { throw .opensslFailure }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hashes `message` with `digest`, signs it and returns the signature in the usual form of the algorithm: DER for
    /// elliptic curves, PKCS #1 v1.5 for RSA. `digest` is nil for an algorithm that does the hashing itself.
    public func sign(_ message: Span<UInt8>, digest: String?) throws(CryptographyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .opensslFailure }
        defer { unsafe EVP_MD_CTX_free(context) }
        let hash = unsafe digest.flatMap { unsafe EVP_get_digestbyname($0) }
        guard unsafe EVP_DigestSignInit(context, nil, hash, nil, pointer) == 1 else {
            ERR_clear_error()
            throw .opensslFailure
        }
        var length = Int(unsafe EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        let result = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_DigestSign(context, &signature, &length, text.baseAddress, text.count)
        }
        guard result == 1, length <= signature.count else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }
}

/// Makes ES256 signatures (RFC 7518 section 3.4) with one key and one prepared context, so threads must not share it.
@safe public final class ES256Signer {
    private let context: OpaquePointer

    public init(_ key: SigningKey) throws(CryptographyError) {
        // The context keeps its own reference to the key.
        let context = unsafe key.withPointer { key in unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) }
        guard let context = unsafe context else { throw .opensslFailure }
        guard unsafe EVP_PKEY_sign_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            throw .opensslFailure
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    public func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let encoded = try signDER(message)
        guard let raw = Self.raw(encoded.span) else { throw .opensslFailure }
        return raw
    }

    public func signDER(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var size: UInt32 = 0
        let isHashed = unsafe message.withUnsafeBufferPointer { text in
            unsafe EVP_Digest(text.baseAddress, text.count, &digest, &size, EVP_sha256(), nil) == 1
        }
        var signature = [UInt8](repeating: 0, count: 72)
        var length = signature.count
        let result = unsafe EVP_PKEY_sign(context, &signature, &length, digest, digest.count)
        let isSigned = isHashed && result == 1 && length <= signature.count
        guard isSigned else {
            ERR_clear_error()
            throw .opensslFailure
        }
        signature.removeLast(signature.count - length)
        return signature
    }

    /// Returns r and s of a signature that OpenSSL made, 32 bytes each: SEQUENCE { INTEGER r, INTEGER s }.
    private static func raw(_ encoded: Span<UInt8>) -> [UInt8]? {
        var raw = [UInt8](repeating: 0, count: 64)
        var position = 2
        for end in [32, 64] {
            guard position + 1 < encoded.count else { return nil }
            let next = position + 2 + Int(encoded[position + 1])
            guard next <= encoded.count else { return nil }
            for place in max(position + 2, next - 32)..<next { raw[end - (next - place)] = encoded[place] }
            position = next
        }
        return position == encoded.count ? raw : nil
    }
}

/// Checks ES256 signatures (RFC 7518 section 3.4) with one public key and one prepared context, so threads must not share
/// it.
@safe public final class ES256Verifier {
    private let context: OpaquePointer
    /// The length of a signature in bytes: r and s, 32 bytes each, big-endian (RFC 7515 appendix A.3).
    public static let signatureByteCount = 64

    public convenience init(keyOf certificate: Certificate) throws(CryptographyError) {
        guard certificate.keyKind == .p256, let key = unsafe X509_get0_pubkey(certificate.storage.pointer)
        else {
            throw .keyUnsuitable
        }
        unsafe self.init(takingOwnership: try Self.makeContext(for: key))
    }

    init(takingOwnership context: OpaquePointer) {
        unsafe self.context = context
    }

    static func makeContext(for key: OpaquePointer) throws(CryptographyError) -> OpaquePointer {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw .opensslFailure }
        guard unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            throw .opensslFailure
        }
        return unsafe context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    public func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard signature.count == Self.signatureByteCount else { return false }
        var encoded = InlineArray<72, UInt8>(repeating: 0)
        let length = Self.encodeDER(signature, into: &encoded)
        return isValid(encoded: encoded.span.extracting(first: length), for: message)
    }

    private func isValid(encoded: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var bytes = digest.mutableSpan
        let isHashed = unsafe message.withUnsafeBufferPointer { text in
            unsafe bytes.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(text.baseAddress, text.count, output.baseAddress, nil, SHA256.method, nil)
                    == 1
            }
        }
        guard isHashed else { return false }
        let result = unsafe encoded.withUnsafeBufferPointer { block in
            unsafe digest.span.withUnsafeBufferPointer { hash in
                unsafe EVP_PKEY_verify(context, block.baseAddress, block.count, hash.baseAddress, hash.count)
            }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }

    /// Writes SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 section 2.2.3) in its one DER form to `output`. Returns its length,
    /// at most 72 bytes.
    private static func encodeDER(_ signature: Span<UInt8>, into output: inout InlineArray<72, UInt8>) -> Int
    {
        var position = 2
        for start in [0, 32] {
            var first = start
            while first < start + 31, signature[first] == 0 { first += 1 }
            let needsZero = signature[first] >= 0x80
            output[position] = 0x02
            output[position + 1] = UInt8(start + 32 - first) + (needsZero ? 1 : 0)
            position += needsZero ? 3 : 2
            for index in first..<start + 32 {
                output[position] = signature[index]
                position += 1
            }
        }
        output[0] = 0x30
        output[1] = UInt8(position - 2)
        return position
    }

    public convenience init(keyOf key: SigningKey) throws(CryptographyError) {
        let context = try unsafe key.handle.withPointer { pointer throws(CryptographyError) in
            unsafe try Self.makeContext(for: pointer)
        }
        unsafe self.init(takingOwnership: context)
    }

    public convenience init(publicKeyPEM text: Span<UInt8>) throws(CryptographyError) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let key = unsafe text.withUnsafeBufferPointer { block -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(block.baseAddress, Int32(clamping: block.count)) else {
                return nil
            }
            defer { unsafe BIO_free_all(source) }
            return unsafe PEM_read_bio_PUBKEY(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else { throw .keyMalformed }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe KeyKind(of: key) == .p256 else { throw .keyUnsuitable }
        unsafe self.init(takingOwnership: try Self.makeContext(for: key))
    }

    /// Returns true when `signature` is a valid signature of `message`. The signature is in DER, as in Apple's
    /// promotionalOfferSignatureV1. DER has one form for each signature (X.690 section 10); OpenSSL takes no other.
    public func isValid(derSignature signature: [UInt8], for message: Span<UInt8>) -> Bool {
        isValid(encoded: signature.span, for: message)
    }
}

/// Makes a compact JWS (RFC 7515 section 7.1) with ES256 (RFC 7518 section 3.4), in the form that Apple takes from
/// the holder of a key of App Store Connect.
public enum JWSSigning {
    /// Returns the encoded header `{"alg":"ES256","kid":…,"typ":"JWT"}`, which is the same for everything that one
    /// key signs.
    public static func encodedHeader(keyId: String) -> [UInt8] {
        let header = JSONNode.object([
            ("alg", .string("ES256")), ("kid", .string(keyId)), ("typ", .string("JWT")),
        ])
        return Base64URL.encode(header.serialized().span)
    }

    public static func token(header: [UInt8], claims: Span<UInt8>, key: ES256Signer)
        throws(CryptographyError) -> [UInt8]
    {
        var text = header
        text.reserveCapacity(header.count + Base64URL.encodedCount(of: claims.count) + 88)
        text.append(UInt8(ascii: "."))
        Base64URL.encode(claims, appendingTo: &text)
        let signature = try key.sign(text.span)
        text.append(UInt8(ascii: "."))
        Base64URL.encode(signature.span, appendingTo: &text)
        return text
    }
}
